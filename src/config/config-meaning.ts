// Checks a Config.json of valid shape for repeated names and for rules that do not compile or are partly ignored.

import { DEFAULT_NAMESPACE, readNamespaceName } from '../description/namespace-name.js';
import { type Path, shown, ValueError } from '../description/value-error.js';
import { indexOfName } from './configured-topic.js';
import { checkAction, checkFilter } from './given-rule.js';
import type { Remark } from './located-json.js';
import type { OfficialConfig, OfficialNamespace, OfficialTopic } from './official-config.js';
import {
  actionOf,
  filterOf,
  filterTypeOf,
  isAbsent,
  isCorrelationAlone,
  isSqlLeftOut,
  type OfficialRule,
} from './official-rule.js';

const FILTER_KEYS = ['CorrelationFilter', 'SqlFilter'] as const;

const ADVICE = {
  CorrelationFilter: 'give what a message must have, such as { "Label": "order" }',
  SqlFilter: 'give { "SqlExpression": "..." }, or the FilterType True, which takes every message',
} as const;

type Findings = { readonly errors: readonly Remark[]; readonly warnings: readonly Remark[] };

export function checkMeaning({ UserConfig }: OfficialConfig): Findings {
  const errors: Remark[] = [];
  const warnings: Remark[] = [];
  errors.push(...mistakesInNames(UserConfig.Namespaces));
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

/** The first namespace is `default`, whatever its name. Clients choose each other one by its name. */
function mistakesInNames(namespaces: readonly OfficialNamespace[]): Remark[] {
  const names = namespaces.map(({ Name }, index) => (index === 0 ? DEFAULT_NAMESPACE : (Name ?? '')));
  return names.flatMap((name, index) => {
    const path: Path = ['UserConfig', 'Namespaces', index];
    const first = indexOfName(name, names);
    if (index === 0) return [];
    if (name === '') {
      const text = 'is missing: clients choose each namespace behind the first one by its name';
      return [{ path: [...path, 'Name'], text }];
    }
    if (first < index) {
      const whose =
        first === 0 ? `the first namespace, which is '${DEFAULT_NAMESPACE}'` : `Namespaces[${first}]`;
      return [
        { path: [...path, 'Name'], text: `repeats the name ${shown(name)} of ${whose}: give it another` },
      ];
    }
    return problemsWith(() => readNamespaceName(name)).map((text) => ({ path: [...path, 'Name'], text }));
  });
}

function problemsWith(read: () => void): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return [error.message];
  }
}

type Named = { readonly Name: string };

/** Finds names that occur twice, in any case, and names of both a queue and a topic (ENT-02, ENT-03, TOP-11). */
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
      const text = `is ${shown(Name)}, which is also the name of Queues[${queue}]: a queue and a topic cannot have the same name`;
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
    const text = `repeats the name ${shown(name)} of ${path.at(-1)}[${first}]: give it another name (case does not count)`;
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
    ...problemsOf(rule, [...path, 'Action', 'SqlExpression'], () => action && checkAction(action)),
  ];
}

function mistakesOfFilter({ rule, path }: LocatedRule): Remark[] {
  const key = isCorrelationAlone(rule) ? 'CorrelationFilter' : filterKeyOf(rule);
  if (key === undefined || isSqlLeftOut(rule)) return [];
  if (isAbsent(rule.Properties[key])) {
    return [{ path: [...path, key], text: `is missing from rule ${shown(rule.Name)}: ${ADVICE[key]}` }];
  }
  const expression = key === 'SqlFilter' ? ['SqlExpression'] : [];
  return problemsOf(rule, [...path, key, ...expression], () => checkFilter(filterOf(rule)));
}

/** The key that holds the rule's filter; undefined for the types `True` and `False`. */
function filterKeyOf(rule: OfficialRule): (typeof FILTER_KEYS)[number] | undefined {
  const type = filterTypeOf(rule);
  return FILTER_KEYS.find((key) => key === `${type}Filter`);
}

function problemsOf({ Name }: OfficialRule, path: Path, check: () => void): Remark[] {
  return problemsWith(check).map((text) => ({ path, text: `of rule ${shown(Name)} ${text}` }));
}

/** Warns of filters that have no effect. The official emulator ignores a filter of another type too. */
function remarksOn({ rule, path }: LocatedRule): Remark[] {
  const name = shown(rule.Name);
  if (isSqlLeftOut(rule)) {
    const text = `of rule ${name} is missing, as .NET Aspire leaves it out: the rule matches every message`;
    return [{ path: [...path, 'SqlFilter'], text }];
  }
  if (isCorrelationAlone(rule)) {
    const text = `of rule ${name} is Sql, but the rule has only a CorrelationFilter, which is used`;
    return [{ path: [...path, 'FilterType'], text }];
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
