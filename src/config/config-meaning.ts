// What is wrong or odd in a Config.json whose shape is right: names that repeat, rules that cannot be carried out.

import { type Path, shown, ValueError } from '../description/value-error.js';
import { indexOfName } from './configured-topic.js';
import type { Remark } from './located-json.js';
import type { OfficialConfig, OfficialNamespace, OfficialTopic } from './official-config.js';
import {
  actionOf,
  filterOf,
  filterTypeOf,
  isAbsent,
  isSqlLeftOut,
  type OfficialRule,
} from './official-rule.js';
import { checkAction, checkFilter } from './rule-check.js';

const FILTER_KEYS = ['CorrelationFilter', 'SqlFilter'] as const;

const WANTED = {
  CorrelationFilter: 'give what a message must have, such as { "Label": "order" }',
  SqlFilter: 'give { "SqlExpression": "..." }, or the FilterType True, which takes every message',
} as const;

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
      const queue = indexOfName(Name, queueNames);
      const text = `is ${shown(Name)}, the name of Queues[${queue}] too: a name is that of a queue or of a topic`;
      return [
        ...(queue < 0 ? [] : [{ path: [...here, 'Name'], text }]),
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
  return names.flatMap((name, index) => {
    const first = indexOfName(name, names);
    if (first === index) return [];
    const text = `repeats the name ${shown(name)} of ${path.at(-1)}[${first}]: give it another (case does not count)`;
    return [{ path: [...path, index, 'Name'], text }];
  });
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
  const action = actionOf(rule);
  return [
    ...mistakesOfFilter({ rule, path }),
    ...complaints(rule, [...path, 'Action', 'SqlExpression'], () => action && checkAction(action)),
  ];
}

function mistakesOfFilter({ rule, path }: LocatedRule): Remark[] {
  const key = filterKeyOf(rule);
  if (key === undefined || isSqlLeftOut(rule)) return [];
  if (isAbsent(rule.Properties[key])) {
    return [{ path: [...path, key], text: `is missing from rule ${shown(rule.Name)}: ${WANTED[key]}` }];
  }
  const expression = key === 'SqlFilter' ? ['SqlExpression'] : [];
  return complaints(rule, [...path, key, ...expression], () => checkFilter(filterOf(rule)));
}

/** Where the filter is; `True` and `False` need none. */
function filterKeyOf(rule: OfficialRule): (typeof FILTER_KEYS)[number] | undefined {
  const type = filterTypeOf(rule);
  return FILTER_KEYS.find((key) => key === `${type}Filter`);
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

/** The official emulator does not look at a filter of another kind either. */
function remarksOn({ rule, path }: LocatedRule): Remark[] {
  const name = shown(rule.Name);
  if (isSqlLeftOut(rule)) {
    const text = `of rule ${name} is missing, as .NET Aspire leaves it out: the rule matches every message`;
    return [{ path: [...path, 'SqlFilter'], text }];
  }
  const used = filterKeyOf(rule);
  const unused = FILTER_KEYS.filter((key) => key !== used && !isEmpty(rule.Properties[key]));
  return unused.map((key) => {
    const text = `of rule ${name} is not used, because its FilterType is ${filterTypeOf(rule)}`;
    return { path: [...path, key], text };
  });
}

function isEmpty(filter: object | null | undefined): boolean {
  return isAbsent(filter) || Object.keys(filter).length === 0;
}
