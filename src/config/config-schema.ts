// The shape a user's Config.json must have, as a zod schema. zod takes long to load: import this file lazily.

import { z } from 'zod';
import { checkEntityName } from './entity-name.js';
import type { Remark } from './located-json.js';
import { type OfficialConfig, type OfficialQueue, officialName } from './official-config.js';
import { QUEUE_PROPERTIES } from './queue-properties.js';
import { suggestion } from './suggestion.js';
import { shown, ValueError } from './value-error.js';

export type CheckedConfig = {
  /** undefined when there are errors. */
  readonly config: OfficialConfig | undefined;
  readonly errors: readonly Remark[];
  readonly unknownKeys: readonly Remark[];
};

const queueProperties = z.strictObject(
  Object.fromEntries(
    QUEUE_PROPERTIES.map(({ name, read }) => [
      officialName(name),
      z
        .unknown()
        .superRefine(complaintsOf((value) => value === null || read(value)))
        .optional(),
    ]),
  ),
);

const queue = z.strictObject({
  Name: z.string().superRefine(complaintsOf(checkEntityName)),
  Properties: queueProperties.nullish(),
});

const namespace = z.strictObject({
  Name: z.string().nullish(),
  Queues: z.array(queue).superRefine(refuseRepeatedNames).nullish(),
  Topics: z.array(z.looseObject({ Name: z.string() })).nullish(),
  Entities: z
    .undefined({ error: 'is not read: give queues under "Queues" and topics under "Topics"' })
    .optional(),
});

const configSchema = z.strictObject({
  $schema: z.unknown().optional(),
  UserConfig: z.strictObject({
    Namespaces: z.array(namespace).length(1, { error: 'must hold exactly one namespace' }),
    // Where the official emulator writes its log: nothing to us.
    Logging: z.unknown().optional(),
  }),
});

const KNOWN_KEYS: readonly string[] = [
  ...['UserConfig', 'Namespaces', 'Logging', 'Name', 'Queues', 'Topics', 'Properties'],
  ...QUEUE_PROPERTIES.map(({ name }) => officialName(name)),
];

/** Reports everything that is wrong at once; unknown keys alone do not make a file bad. */
export function checkConfig(value: unknown): CheckedConfig {
  const issues = configSchema.safeParse(value, { error: describeIssue }).error?.issues ?? [];
  const errors: Remark[] = [];
  const unknownKeys: Remark[] = [];
  for (const issue of issues) {
    // Nothing in JSON has a symbol for a key.
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys') {
      errors.push({ path, text: issue.message });
      continue;
    }
    for (const key of issue.keys) {
      unknownKeys.push({
        path: [...path, key],
        text: `is not known and was ignored.${suggestion(key, KNOWN_KEYS)}`,
      });
    }
  }
  // The schema has looked at all that this type says; unknown keys are never read.
  return { config: errors.length > 0 ? undefined : (value as OfficialConfig), errors, unknownKeys };
}

/** zod's two plain findings in our words; every other one carries its text already. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
  const expected =
    issue.expected === 'array' ? 'a list' : `a${issue.expected === 'object' ? 'n' : ''} ${issue.expected}`;
  return `must be ${expected}, not ${shown(issue.input)}`;
}

function complaintsOf<T>(read: (value: T) => unknown): (value: T, context: z.RefinementCtx) => void {
  return (value, context) => {
    try {
      read(value);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}

/** ENT-02: names that differ only in case are one name. */
function refuseRepeatedNames(queues: readonly OfficialQueue[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  queues.forEach(({ Name }, index) => {
    const repeated = seen.has(Name.toLowerCase());
    seen.add(Name.toLowerCase());
    if (!repeated) return;
    context.addIssue({
      code: 'custom',
      path: [index, 'Name'],
      message: `repeats the name ${shown(Name)}`,
    });
  });
}
