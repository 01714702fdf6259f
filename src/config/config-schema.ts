// The required shape of a user's Config.json, as a zod schema. zod is slow to load: import this file lazily.

import { z } from 'zod';
import { OFFICIAL_CORRELATION_FIELDS } from '../description/correlation-fields.js';
import {
  checkEntityName,
  checkRuleName,
  checkSubscriptionName,
  checkTopicName,
} from '../description/entity-name.js';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { officialName, type PropertyTable } from '../description/entity-property.js';
import { durationOrMs } from '../description/property-values.js';
import { suggestion } from '../description/suggestion.js';
import { type Path, shown, ValueError } from '../description/value-error.js';
import { toParameter } from './given-rule.js';
import type { Remark } from './located-json.js';
import type { OfficialConfig } from './official-config.js';
import { FILTER_TYPES, isAbsent, readFilterType } from './official-rule.js';

type CheckedConfig = {
  /** undefined when there are errors. */
  readonly config: OfficialConfig | undefined;
  readonly errors: readonly Remark[];
  readonly unknownKeys: readonly UnknownKey[];
};

/** A key that the schema does not know. The caller decides whether it is a warning or part of an error. */
type UnknownKey = Remark & {
  /** A suggestion with a leading space, or an empty text. */
  readonly hint: string;
};

function propertiesSchema<Given>(table: PropertyTable<Given>) {
  const properties = table.flatMap(({ name, read }) => {
    const value = z
      .unknown()
      .superRefine(refinementOf((value) => value === null || read(value, durationOrMs)))
      .optional();
    return [officialName(name), name].map((key) => [key, value] as const);
  });
  return z
    .strictObject(Object.fromEntries(properties))
    .superRefine((given, context) => refuseBothNames(given, table, context))
    .nullish();
}

/** A property may be given by its official name or by the SDK's, but not by both. */
function refuseBothNames(
  given: Readonly<Record<string, unknown>>,
  table: readonly { readonly name: string }[],
  context: z.RefinementCtx,
): void {
  for (const { name } of table) {
    if (isAbsent(given[name]) || isAbsent(given[officialName(name)])) continue;
    const message = `is given as ${officialName(name)}, too: give one of them`;
    context.addIssue({ code: 'custom', message, path: [name] });
  }
}

const queue = z.strictObject({
  Name: z.string().superRefine(refinementOf(checkEntityName)),
  Properties: propertiesSchema(QUEUE_PROPERTIES),
});

const values = z.record(z.string(), z.unknown().superRefine(refinementOf(toParameter))).nullish();

const sql = z.strictObject({ SqlExpression: z.string(), Parameters: values }).nullish();

const correlationFilter = z.strictObject({
  ...Object.fromEntries(Object.keys(OFFICIAL_CORRELATION_FIELDS).map((key) => [key, z.string().nullish()])),
  Properties: values,
  RequiresPreprocessing: z.unknown().optional(),
});

const rule = z.strictObject({
  Name: z.string().superRefine(refinementOf(checkRuleName)),
  Properties: z.strictObject({
    FilterType: z.unknown().superRefine(refinementOf(checkFilterType)),
    CorrelationFilter: correlationFilter.nullish(),
    SqlFilter: sql,
    Action: sql,
  }),
});

const subscription = z.strictObject({
  Name: z.string().superRefine(refinementOf(checkSubscriptionName)),
  Properties: propertiesSchema(SUBSCRIPTION_PROPERTIES),
  Rules: z.array(rule).nullish(),
});

const topic = z.strictObject({
  Name: z.string().superRefine(refinementOf(checkTopicName)),
  Properties: propertiesSchema(TOPIC_PROPERTIES),
  Subscriptions: z.array(subscription).nullish(),
});

const namespace = z.strictObject({
  Name: z.string().nullish(),
  Queues: z.array(queue).nullish(),
  Topics: z.array(topic).nullish(),
  Entities: z
    .undefined({ error: 'is not read: give queues under "Queues" and topics under "Topics"' })
    .optional(),
});

const configSchema = z.strictObject({
  $schema: z.unknown().optional(),
  UserConfig: z.strictObject({
    Namespaces: z.array(namespace).min(1, { error: 'must contain a namespace, and contains none' }),
    // The official emulator's log settings, which have no effect here.
    Logging: z.unknown().optional(),
  }),
});

const CORRELATION_KEYS: readonly string[] = [...Object.keys(OFFICIAL_CORRELATION_FIELDS), 'Properties'];
/** The names that the SDKs have for these keys, in lower case. */
const NAMES_OF_SDKS: Readonly<Record<string, string>> = {
  subject: 'Label',
  applicationproperties: 'Properties',
  userproperties: 'Properties',
};
const KNOWN_KEYS: readonly string[] = [
  ...[
    'UserConfig',
    'Namespaces',
    'Logging',
    'Name',
    'Queues',
    'Topics',
    'Subscriptions',
    'Rules',
    'Properties',
  ],
  'FilterType',
  'CorrelationFilter',
  'SqlFilter',
  'SqlExpression',
  'Parameters',
  'Action',
  ...[...QUEUE_PROPERTIES, ...TOPIC_PROPERTIES, ...SUBSCRIPTION_PROPERTIES].map(({ name }) =>
    officialName(name),
  ),
];

/** Reports all problems of the shape at once. Unknown keys alone do not make a config invalid. */
export function checkConfig(value: unknown): CheckedConfig {
  const issues = configSchema.safeParse(value, { error: describeIssue }).error?.issues ?? [];
  const errors: Remark[] = [];
  const unknownKeys: UnknownKey[] = [];
  for (const issue of issues) {
    // zod's type allows symbols, but keys in JSON are never symbols.
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys') {
      errors.push({ path, text: issue.message });
    } else if (path.at(-1) === 'CorrelationFilter') {
      errors.push(...issue.keys.map((key) => remarkOnFilterKey(path, key)));
    } else {
      unknownKeys.push(...issue.keys.map((key) => remarkOnKey(path, key)));
    }
  }
  // The schema has checked everything in this type; unknown keys are never read.
  return { config: errors.length > 0 ? undefined : (value as OfficialConfig), errors, unknownKeys };
}

function remarkOnKey(path: Path, key: string): UnknownKey {
  const where = [...path, key];
  return KNOWN_KEYS.includes(key)
    ? { path: where, text: 'means nothing here', hint: '' }
    : { path: where, text: 'is not known', hint: suggestion(key, KNOWN_KEYS) };
}

/** An error and not a warning: if the unknown condition were ignored, the filter would match more messages than intended. */
function remarkOnFilterKey(path: Path, key: string): Remark {
  const name = NAMES_OF_SDKS[key.toLowerCase()];
  const hint =
    name !== undefined
      ? ` It is called '${name}' here.`
      : suggestion(key, CORRELATION_KEYS) || ' Application properties go under "Properties".';
  return { path: [...path, key], text: `is not a property that a correlation filter can name.${hint}` };
}

function checkFilterType(value: unknown): void {
  if (value === undefined) throw new ValueError(`is missing: give one of ${FILTER_TYPES.join(', ')}`);
  readFilterType(value);
}

const ADVICE: Readonly<Record<string, string>> = {
  UserConfig:
    'put everything in it: { "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "orders" }] }] } }',
  Namespaces: 'give a list of namespaces, such as [{ "Queues": [{ "Name": "orders" }] }]',
  Name: 'give it one',
  Properties: 'give at least { "FilterType": "True" }',
  SqlExpression: 'give a text such as "color = \'blue\'"',
};

/** Words zod's findings "missing" and "wrong type". Every other finding has a text of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) {
    const advice = ADVICE[String(issue.path?.at(-1))];
    return advice === undefined ? 'is missing' : `is missing: ${advice}`;
  }
  const expected =
    issue.expected === 'array'
      ? 'a list'
      : `a${/^[aeiou]/.test(issue.expected) ? 'n' : ''} ${issue.expected}`;
  return `must be ${expected}, not ${shown(issue.input)}`;
}

/** Turns a reader into a zod refinement that reports the problems of its ValueError. */
function refinementOf<T>(read: (value: T) => unknown): (value: T, context: z.RefinementCtx) => void {
  return (value, context) => {
    try {
      read(value);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      for (const { path, text } of error.problems) {
        context.addIssue({ code: 'custom', message: text, path: [...path] });
      }
    }
  };
}
