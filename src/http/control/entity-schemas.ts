// The answers about the settings of entities and their rules as zod schemas.

import { z } from 'zod';
import { ACCESS_RIGHTS } from '../../broker/contract/entities/authorization-rule.js';
import { PROPERTIES_OF } from '../../description/described-entity.js';

const VALUES = {
  duration: z.string().describe('ISO 8601'),
  number: z.number(),
  boolean: z.boolean(),
  text: z.string(),
  list: z
    .array(z.strictObject({ keyName: z.string(), accessRights: z.array(z.enum(ACCESS_RIGHTS)) }))
    .describe('Without their keys'),
} as const;

/** Properties by the names of the SDK. One without a value is missing. */
function propertiesSchema(type: keyof typeof PROPERTIES_OF) {
  return z.strictObject(
    Object.fromEntries(PROPERTIES_OF[type].map(({ name, type: of }) => [name, VALUES[of].optional()])),
  );
}

export const queuePropertiesSchema = propertiesSchema('queue');
export const topicPropertiesSchema = propertiesSchema('topic');
export const subscriptionPropertiesSchema = propertiesSchema('subscription');

export const ruleSchema = z.strictObject({
  name: z.string(),
  filter: z.strictObject({
    type: z.enum(['sql', 'selector', 'correlation', 'true', 'false']),
    text: z.string().describe('As SQL; for a correlation filter what it compares'),
    parameters: z.record(z.string(), z.string()).optional().describe('The values of its parameters, as SQL'),
  }),
  action: z.string().optional(),
  createdTime: z.iso.datetime(),
});
export const rulesSchema = z.strictObject({ rules: z.array(ruleSchema) });
export const deletedSchema = z.strictObject({ deleted: z.string() });

export type RuleAnswer = z.infer<typeof ruleSchema>;
export type RulesAnswer = z.infer<typeof rulesSchema>;
export type DeletedAnswer = z.infer<typeof deletedSchema>;
