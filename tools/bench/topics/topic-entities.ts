// The queue and the topics that are measured, as a Config.json describes them: only there a rule can be written down.

export type EntityName = 'queue' | 'routed' | 'copied' | 'many' | 'single';

const COLORS = ['red', 'green', 'blue', 'white', 'black', 'gold', 'pink', 'grey', 'cyan', 'lime'];
export const MANY_SUBSCRIPTIONS = 100;
export const SUBSCRIPTIONS = COLORS.length;
export const RULES = 5;

/**
 * Topics with 10 subscriptions and 5 SQL rules in each: of `routed` each message matches one rule of one subscription, of
 * `copied` one rule of every subscription. `many` and `single` have no rules but the true one.
 */
export function describeEntities(): object {
  const Topics = [
    topic(
      'routed',
      COLORS.map((color, index) => subscription(index, rulesFor(`color = '${color}'`))),
    ),
    topic(
      'copied',
      COLORS.map((_, index) => subscription(index, rulesFor("region = 'EU'"))),
    ),
    topic(
      'many',
      Array.from({ length: MANY_SUBSCRIPTIONS }, (_, index) => subscription(index, undefined)),
    ),
    topic('single', [subscription(0, undefined)]),
  ];
  const Queues = [{ Name: 'queue' satisfies EntityName, Properties: {} }];
  return { UserConfig: { Namespaces: [{ Name: 'bench', Queues, Topics }], Logging: { Type: 'Console' } } };
}

function topic(Name: EntityName, Subscriptions: readonly object[]): object {
  return { Name, Properties: {}, Subscriptions };
}

function subscription(index: number, Rules: readonly object[] | undefined): object {
  return { Name: `subscription-${index}`, Properties: {}, ...(Rules && { Rules }) };
}

/** The first matches what it is for; the others look at as much and match nothing. */
function rulesFor(condition: string): object[] {
  return Array.from({ length: RULES }, (_, index) => {
    const least = index === 0 ? 0 : 1000 * index;
    const SqlExpression = `${condition} AND quantity >= ${least} AND sys.Label LIKE '%order'`;
    return { Name: `rule-${index}`, Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression } } };
  });
}
