// The shape a user's Config.json must have, as a zod schema. zod takes long to load: import this file lazily.

import { z } from 'zod';
import { OFFICIAL_CORRELATION_FIELDS } from '../description/correlation-fields.js';
import { checkEntityName, checkRuleName, checkSubscriptionName } from '../description/entity-name.js';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { officialName, type PropertyTable } from '../description/entity-property.js';
import { duration } from '../description/property-values.js';
import { suggestion } from '../description/suggestion.js';
import { type Path, ValueError } from '../description/value-error.js';
import { toParameter } from './given-rule.js';
import type { Remark } from './located-json.js';
import type { OfficialConfig } from './official-config.js';
import { FILTER_TYPES, readFilterType } from './official-rule.js';
import { complaintsOf, describeIssue } from './schema-issue.js';

export type CheckedConfig = {
  /** undefined when there are errors. */
  readonly config: OfficialConfig | undefined;
  readonly errors: readonly Remark[];
  readonly unknownKeys: readonly UnknownKey[];
};

/** What comes of it is for the one to say who knows whether the config is taken. */
export type UnknownKey = Remark & {
  /** With a leading space, or empty. */
  readonly hint: string;
};

function propertiesOf<Given>(table: PropertyTable<Given>) {
  const properties = table.map(({ name, read }) => [
    officialName(name),
    z
      .unknown()
      .superRefine(complaintsOf((value) => value === null || read(value, duration)))
      .optional(),
  ]);
  return z.strictObject(Object.fromEntries(properties)).nullish();
}

const queue = z.strictObject({
  Name: z.string().superRefine(complaintsOf(checkEntityName)),
  Properties: propertiesOf(QUEUE_PROPERTIES),
});

const sql = z.strictObject({ SqlExpression: z.string() }).nullish();

const correlationFilter = z.strictObject({
  ...Object.fromEntries(Object.keys(OFFICIAL_CORRELATION_FIELDS).map((key) => [key, z.string().nullish()])),
  Properties: z.record(z.string(), z.unknown().superRefine(complaintsOf(toParameter))).nullish(),
  RequiresPreprocessing: z.unknown().optional(),
});

const rule = z.strictObject({
  Name: z.string().superRefine(complaintsOf(checkRuleName)),
  Properties: z.strictObject({
    FilterType: z.unknown().superRefine(complaintsOf(checkFilterType)),
    CorrelationFilter: correlationFilter.nullish(),
    SqlFilter: sql,
    Action: sql,
  }),
});

const subscription = z.strictObject({
  Name: z.string().superRefine(complaintsOf(checkSubscriptionName)),
  Properties: propertiesOf(SUBSCRIPTION_PROPERTIES),
  Rules: z.array(rule).nullish(),
});

const topic = z.strictObject({
  Name: z.string().superRefine(complaintsOf(checkEntityName)),
  Properties: propertiesOf(TOPIC_PROPERTIES),
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
    Namespaces: z.array(namespace).length(1, {
      error: ({ input }) =>
        `must hold exactly one namespace, and holds ${Array.isArray(input) ? input.length : 0}`,
    }),
    // Where the official emulator writes its log: nothing to us.
    Logging: z.unknown().optional(),
  }),
});

const CORRELATION_KEYS: readonly string[] = [...Object.keys(OFFICIAL_CORRELATION_FIELDS), 'Properties'];
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
  ...['FilterType', 'CorrelationFilter', 'SqlFilter', 'SqlExpression', 'Action'],
  ...[...QUEUE_PROPERTIES, ...TOPIC_PROPERTIES, ...SUBSCRIPTION_PROPERTIES].map(({ name }) =>
    officialName(name),
  ),
];

/** Reports everything that is wrong with the shape at once; unknown keys alone do not make a file bad. */
export function checkConfig(value: unknown): CheckedConfig {
  const issues = configSchema.safeParse(value, { error: describeIssue }).error?.issues ?? [];
  const errors: Remark[] = [];
  const unknownKeys: UnknownKey[] = [];
  for (const issue of issues) {
    // Nothing in JSON has a symbol for a key.
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys') {
      errors.push({ path, text: issue.message });
    } else if (path.at(-1) === 'CorrelationFilter') {
      errors.push(...issue.keys.map((key) => remarkOnFilterKey(path, key)));
    } else {
      unknownKeys.push(...issue.keys.map((key) => remarkOnKey(path, key)));
    }
  }
  // The schema has looked at all that this type says; unknown keys are never read.
  return { config: errors.length > 0 ? undefined : (value as OfficialConfig), errors, unknownKeys };
}

function remarkOnKey(path: Path, key: string): UnknownKey {
  const where = [...path, key];
  return KNOWN_KEYS.includes(key)
    ? { path: where, text: 'means nothing here', hint: '' }
    : { path: where, text: 'is not known', hint: suggestion(key, KNOWN_KEYS) };
}

/** Left out, the filter would match what it is not meant to: this is no matter of a warning. */
function remarkOnFilterKey(path: Path, key: string): Remark {
  const hint = suggestion(key, CORRELATION_KEYS) || ' Application properties go under "Properties".';
  return { path: [...path, key], text: `is nothing that a correlation filter can name.${hint}` };
}

function checkFilterType(value: unknown): void {
  if (value === undefined) throw new ValueError(`is missing: give one of ${FILTER_TYPES.join(', ')}`);
  readFilterType(value);
}
