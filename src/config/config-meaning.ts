// What is wrong or odd in a Config.json whose shape is right: names that repeat, rules that cannot be carried out.

import { indexOfName } from './configured-topic.js';
import type { Path, Remark } from './located-json.js';
import type { OfficialConfig, OfficialNamespace, OfficialTopic } from './official-config.js';
import { actionOf, filterOf, filterTypeOf, type OfficialRule } from './official-rule.js';
import { checkAction, checkFilter } from './rule-check.js';
import { shown, ValueError } from './value-error.js';

export type Meaning = { readonly errors: readonly Remark[]; readonly warnings: readonly Remark[] };

export function checkMeaning({ UserConfig }: OfficialConfig): Meaning {
  const errors: Remark[] = [];
  const warnings: Remark[] = [];
  UserConfig.Namespaces.forEach((namespace, index) => {
    const path: Path = ['UserConfig', 'Namespaces', index];
    errors.push(...repeatedEntities(namespace, path));
    for (const rule of rulesOf(namespace.Topics ?? [], [...path, 'Topics'])) {
      errors.push(...mistakesOf(rule));
      warnings.push(...remarksOn(rule));
    }
  });
  return { errors, warnings };
}

type Named = { readonly Name: string };

/** ENT-02, ENT-03, TOP-11: no name twice in whatever case, and no queue and topic of one name. */
function repeatedEntities({ Queues, Topics }: OfficialNamespace, path: Path): Remark[] {
  const queues = Queues ?? [];
  const topics = Topics ?? [];
  const queueNames = queues.map(({ Name }) => Name);
  return [
    ...repeatedNames(queues, [...path, 'Queues']),
    ...repeatedNames(topics, [...path, 'Topics']),
    ...topics.flatMap(({ Name, Subscriptions }, index) => {
      const here = [...path, 'Topics', index];
      const text = `is the name of a queue too: ${shown(Name)}`;
      return [
        ...(indexOfName(Name, queueNames) < 0 ? [] : [{ path: [...here, 'Name'], text }]),
        ...repeatedNames(Subscriptions ?? [], [...here, 'Subscriptions']),
        ...(Subscriptions ?? []).flatMap(({ Rules }, at) =>
          repeatedNames(Rules ?? [], [...here, 'Subscriptions', at, 'Rules']),
        ),
      ];
    }),
  ];
}

function repeatedNames(entries: readonly Named[], path: Path): Remark[] {
  const names = entries.map(({ Name }) => Name);
  return names.flatMap((name, index) =>
    indexOfName(name, names) === index
      ? []
      : [{ path: [...path, index, 'Name'], text: `repeats the name ${shown(name)}` }],
  );
}

type LocatedRule = { readonly rule: OfficialRule; readonly path: Path };

function rulesOf(topics: readonly OfficialTopic[], path: Path): LocatedRule[] {
  return topics.flatMap(({ Subscriptions }, topicIndex) =>
    (Subscriptions ?? []).flatMap(({ Rules }, subscriptionIndex) =>
      (Rules ?? []).map((rule, index) => ({
        rule,
        path: [...path, topicIndex, 'Subscriptions', subscriptionIndex, 'Rules', index, 'Properties'],
      })),
    ),
  );
}

function mistakesOf({ rule, path }: LocatedRule): Remark[] {
  const filterKey = `${filterTypeOf(rule)}Filter` as const;
  if (isAbsent(rule.Properties[filterKey])) {
    return [{ path: [...path, filterKey], text: `is missing from rule ${shown(rule.Name)}` }];
  }
  const expression = filterKey === 'SqlFilter' ? ['SqlExpression'] : [];
  const action = actionOf(rule);
  return [
    ...complaints(rule, [...path, filterKey, ...expression], () => checkFilter(filterOf(rule))),
    ...complaints(rule, [...path, 'Action', 'SqlExpression'], () => action && checkAction(action)),
  ];
}

function complaints({ Name }: OfficialRule, path: Path, check: () => void): Remark[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return [{ path, text: `of rule ${shown(Name)} ${error.message}` }];
  }
}

/** A filter of the other kind: the official emulator does not look at it either. */
function remarksOn({ rule, path }: LocatedRule): Remark[] {
  const other = filterTypeOf(rule) === 'Sql' ? 'CorrelationFilter' : 'SqlFilter';
  if (isAbsent(rule.Properties[other])) return [];
  const text = `of rule ${shown(rule.Name)} is not used, because its FilterType is ${filterTypeOf(rule)}`;
  return [{ path: [...path, other], text }];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
