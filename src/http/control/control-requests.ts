// The requests of the control interface as zod schemas, and the functions that read them. An error names every mistake with the value seen.

import { z } from 'zod';
import { isoTime, LAST_INSTANT } from '../../broker/contract/instant.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { isWithinJsonBounds, JSON_BOUNDS_TEXT } from '../../content/json-bounds.js';
import { SENT_TYPES } from '../../content/typed-value.js';
import { CURSOR } from '../../inspect/search-messages.js';
import { GREATEST_RATE, LEAST_RATE, millisecondsOf } from '../../steer/emulator-clock.js';
import { FAULT_OPERATIONS } from '../../steer/fault.js';
import { PRESET_NAMES } from '../../steer/fault-presets.js';
import { KINDS } from '../../watch/record-kinds.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall } from '../http-context.js';
import { readBody } from '../request-body.js';
import { stateSchema } from './control-schemas.js';
import { shorten, wordIssues } from './word-issue.js';

const MOST = 250;
const MOST_SENT = 1000;
/** No selection, description or rule needs more. */
const MAX_BODY_BYTES = 64 * 1024;

const entity = z.string().min(1).max(400).describe('The path of a queue, topic, subscription or sub-queue');
const number = z
  .string()
  .regex(/^\d{1,16}$/, 'must be a sequence number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a sequence number');
const max = z
  .string()
  .regex(/^\d{1,3}$/, `must be a number from 1 to ${MOST}`)
  .transform(Number)
  .refine((value) => value >= 1 && value <= MOST, `must be a number from 1 to ${MOST}`);
const states = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(stateSchema));

export const noQuery = z.strictObject({});
export const entityQuery = z.strictObject({ entity });
const sql = z.string().min(1).max(1024);
export const testRulesQuery = z.strictObject({
  entity,
  filter: sql.optional().describe('The filter of a rule of your own, which is also tried'),
  action: sql.optional().describe('Its action'),
});
const filter = z
  .union([sql, z.boolean(), z.looseObject({})], 'must be SQL, true, false or an object of properties')
  .describe('SQL, true, false, or an object of the properties that a message must equal');
const action = z.union([sql, z.looseObject({})], 'must be SQL').describe('SQL');
const ruleName = z.string().min(1).max(50);
export const ruleBody = z.strictObject({ name: ruleName, filter, action: action.optional() });
export const changeRuleBody = z.strictObject({
  filter: filter.optional(),
  action: action.nullable().optional().describe('null removes it'),
});
export const ruleQuery = z.strictObject({ entity, rule: ruleName });
const properties = z
  .record(z.string(), z.unknown())
  .describe('By the names of the SDK; durations in ISO 8601 or milliseconds, and null for the default');
export const createEntityBody = z.strictObject({
  type: z.enum(['queue', 'topic', 'subscription']),
  path: z.string().min(1).max(400).describe('Of a subscription: events/Subscriptions/audit'),
  properties: properties.optional(),
});
export const changeEntityBody = z.strictObject({ properties: properties.describe('Only those to change') });
export const sessionQuery = z.strictObject({ entity, sessionId: z.string().max(128) });
export const messagesQuery = z.strictObject({
  entity,
  state: states.optional(),
  order: z.enum(['oldest', 'newest']).optional().describe('By number; oldest first is the default'),
  filter: z.string().max(1024).optional().describe('The filter of a list, such as `body:Oslo age:>5m`'),
  from: number.optional().describe('The number to begin with'),
  limit: max.optional(),
  max: max.optional().describe('The same as limit'),
  raw: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether each message has its bytes, to import it without loss'),
});
export const searchQuery = z.strictObject({
  text: z.string().trim().min(1).max(400).describe('In any case; a number also finds that sequence number'),
  limit: max.optional().describe('The most hits; 50 is the default'),
  from: z
    .string()
    .regex(CURSOR, 'must be the `next` of the search that it continues')
    .optional()
    .describe('Goes on where an earlier search for this text was cut: the `next` of its end'),
  entity: entity.optional().describe('Searches this queue, topic or subscription only'),
});
export const locksQuery = z.strictObject({ entity, from: number.optional(), max: max.optional() });
export const sessionsQuery = z.strictObject({
  entity,
  from: z.string().max(128).optional(),
  max: max.optional(),
});

const kinds = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.enum(KINDS)));

export const eventsQuery = z.strictObject({
  since: number.optional(),
  entity: entity.optional(),
  kind: kinds.optional(),
  count: z
    .enum(['all', 'others'])
    .optional()
    .describe(
      'An event `count` says how many records there were: `others` counts the records that `entity` and `kind` leave out, `all` counts ' +
        'instead of sending any',
    ),
});
const STEPS_MS = ['1000', '10000'] as const;
export const ratesQuery = z.strictObject({
  entity: z
    .string()
    .max(400)
    .optional()
    .describe('The path of one queue, topic, subscription or sub-queue; empty: the whole namespace'),
  stepMs: z.enum(STEPS_MS).transform(Number).optional(),
});
export const historyQuery = z.strictObject({ entity, sequenceNumber: number });

const text = z.string();
const typedProperty = z.strictObject({
  type: z.enum(SENT_TYPES),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  descriptor: z.string().max(100).optional().describe('Of a described value, such as com.microsoft:uri'),
});
const sentProperty = z.union(
  [z.string(), z.number(), z.boolean(), z.null(), typedProperty],
  `must be a text, a number, true, false, null, or a value with its type such as {"type":"ulong","value":3}; the types are ${SENT_TYPES.join(', ')}`,
);

function refuseDuration(given: string | number, context: z.core.$RefinementCtx): void {
  try {
    millisecondsOf(given);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
}

/** Refuses the key `__proto__`, which zod leaves out of a record: the message would be sent without it. */
function refuseProto(given: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__')) {
    const message = 'cannot be sent over this interface; send it by AMQP or give it another name';
    context.addIssue({ code: 'custom', message, path: ['__proto__'] });
  }
  return given;
}

const texts = {
  messageId: text.optional(),
  to: text.optional(),
  subject: text.optional(),
  replyTo: text.optional(),
  correlationId: text.optional(),
  contentType: text.optional(),
  sessionId: text.optional(),
  replyToSessionId: text.optional(),
  partitionKey: text.optional(),
};
export const sentMessageSchema = z
  .strictObject({
    body: z.unknown().optional().describe('A text is sent as it is, any other JSON value as JSON'),
    bodyBase64: z.base64().optional().describe('The bytes of the body, in place of `body`'),
    applicationProperties: z
      .preprocess(refuseProto, z.record(z.string(), sentProperty))
      .optional()
      .describe('A whole number is sent as int or long, any other number as double'),
    ...texts,
    contentType: text.regex(/^[\x20-\x7e]*$/, 'must be ASCII, such as application/json').optional(),
    timeToLiveMs: z.number().positive().optional(),
    scheduledEnqueueTime: z.iso
      .datetime({ offset: true })
      .refine((time) => Date.parse(time) <= LAST_INSTANT, `must not be after ${isoTime(LAST_INSTANT)}`)
      .optional(),
  })
  .refine(
    ({ body, bodyBase64 }) => body === undefined || bodyBase64 === undefined,
    'has both body and bodyBase64; send one of them',
  );
const shownTime = z.string().max(40).optional();
const importedFields = {
  sequenceNumber: z
    .union([z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)])
    .optional()
    .describe('With importId: the number in the source, in whose order messages come'),
  state: stateSchema.optional(),
  deliveryCount: z.int().nonnegative().optional(),
  raw: z.looseObject({ base64: z.base64() }).optional().describe('The bytes of the message'),
  body: z.unknown().optional(),
  bodyBase64: z.base64().optional(),
  applicationProperties: z.preprocess(refuseProto, z.record(z.string(), z.unknown())).optional(),
  ...texts,
  viaPartitionKey: text.optional(),
  timeToLiveMs: z.number().positive().optional(),
  scheduledTime: shownTime,
  scheduledEnqueueTime: shownTime,
  deadLetterReason: text.max(1000).optional(),
  deadLetterErrorDescription: text.max(1000).optional(),
  deadLetterSource: text.max(400).optional(),
  lastHolder: text.max(1000).optional(),
};
/**
 * A message as `GET messages` and `jitney peek --json` show it. Other keys are ignored, because the numbers and times of the broker are new; but an
 * object that has only others is no message.
 */
export const importedMessageSchema = z.looseObject(importedFields).superRefine((given, context) => {
  const keys = Object.keys(given);
  if (keys.length === 0 || keys.some((key) => Object.hasOwn(importedFields, key))) return;
  context.addIssue(
    `must be a message, with a field such as body or raw; it has only ${keys.slice(0, 3).join(', ')}`,
  );
});
/** A line of `--seed`. */
export const seedSchema = z.looseObject({ entity });
export const importBody = z.strictObject({
  messages: z.array(importedMessageSchema).max(MOST_SENT).optional(),
  sessionStates: z
    .array(z.strictObject({ sessionId: text.max(128), stateBase64: z.base64() }))
    .max(MOST_SENT)
    .optional(),
  importId: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .optional()
    .describe('The same for all requests of one copy: a message that it has brought is not stored again'),
  isLast: z.boolean().optional().describe('Ends the copy: the next one with its importId brings everything'),
});
export const sentMessagesSchema = z.array(sentMessageSchema).max(MOST_SENT);

const sequenceNumbers = z
  .array(z.int().nonnegative())
  .min(1)
  .max(MOST)
  .describe('These messages, in this order');
const selection = {
  sequenceNumbers: sequenceNumbers.optional(),
  filter: text
    .min(1)
    .max(1024)
    .optional()
    .describe('Only messages that match this SQL filter, written as in a rule'),
  state: z.array(stateSchema).min(1).optional().describe('Only messages in these states'),
  olderThanMs: z.number().positive().optional().describe('Only messages that were enqueued longer ago'),
  dryRun: z.boolean().optional().describe('Changes nothing, and answers with what would be changed'),
  max: z
    .int()
    .min(1)
    .optional()
    .describe('Looks at about so many messages, and answers with `next` if there are more'),
  next: text
    .max(2000)
    .optional()
    .describe('As an earlier answer gave it: goes on there, with the same selection'),
};

/** Needs at least one key, so that an empty object does not mean every message. */
function selectionWith<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject({ ...selection, ...shape })
    .refine(
      (given) => isSelection(given as Selection),
      'must select messages: by sequenceNumbers, or by a filter, a state, an age or several of these',
    );
}

function isSelection({ sequenceNumbers: numbers, filter, state, olderThanMs }: Selection): boolean {
  return (
    (numbers === undefined) !== (filter === undefined && state === undefined && olderThanMs === undefined)
  );
}

export const selectionBody = selectionWith({});
export const deadLetterBody = selectionWith({
  reason: text.max(1000).optional(),
  description: text.max(1000).optional(),
});
export const moveBody = selectionWith({
  to: entity.describe('The queue or topic that accepts the messages'),
});
export const endLocksBody = z.strictObject({ sequenceNumbers });
export const endSessionBody = z.strictObject({ sessionId: text.max(128) });
/** A purge has no selection: it removes everything. */
export const purgeBody = z.strictObject({});
export const emptyBody = z.strictObject({});
/** Describes a fault in `openapi.json` only. `steer/check-fault.ts` checks it, as it checks faults from everywhere else. */
export const faultBody = z
  .looseObject({
    on: z
      .union([z.enum([...FAULT_OPERATIONS, 'any']), z.array(z.enum(FAULT_OPERATIONS))])
      .describe('The operations'),
  })
  .or(z.unknown())
  .describe('A fault, as docs/faults.md describes it');
export const presetBody = z.strictObject({
  name: z.enum(PRESET_NAMES),
  entity: entity.optional(),
  perSecond: z.int().min(1).optional().describe('For throttled: how many operations pass in a second'),
  seed: z.int().optional().describe('For flaky and slow: the seed of their random numbers'),
});
export const removeFaultBody = z.strictObject({ id: z.int().min(1) });
export const advanceBody = z.strictObject({
  by: z
    .union([text, z.number()], 'must be a duration such as PT1H, or a number of milliseconds')
    .superRefine(refuseDuration)
    .describe('A duration such as PT1H, or a number of milliseconds'),
});
const RATES = `must be from ${LEAST_RATE} to ${GREATEST_RATE} (clock:freeze stops time)`;
export const scaleBody = z.strictObject({
  rate: z
    .number()
    .min(LEAST_RATE, RATES)
    .max(GREATEST_RATE, RATES)
    .describe("How many times as fast as the machine's clock"),
});
export const resetBody = z.strictObject({
  all: z.boolean().optional().describe('Whether to bring back exactly the entities of the configuration'),
});
const specs = z.array(z.string().min(1).max(4000)).max(1000);
export const namespaceBody = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .describe('Letters, digits, hyphens and underscores; clients choose it by the name of their key'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('A port of its own, for clients without a key; 0 takes a free one'),
  queues: specs
    .optional()
    .describe('As --queue names them; without queues and topics it begins as `default` did'),
  topics: specs.optional().describe('As --topic names them'),
});
export const namespaceQuery = z.strictObject({ name: z.string().min(1).max(100) });
export const endConnectionBody = z.strictObject({ connectionId: z.int().positive() });
export const endLinkBody = z.strictObject({ linkId: z.int().positive() });

export type Selection = z.infer<z.ZodObject<typeof selection>>;
export type ImportedLine = z.infer<typeof importedMessageSchema>;
export type SentMessage = z.infer<typeof sentMessageSchema>;
export type SentProperty = NonNullable<SentMessage['applicationProperties']>[string];

/** The query of a request. Throws a RequestProblem. */
export function readSearch<Schema extends z.ZodType>(call: HttpCall, schema: Schema): z.infer<Schema> {
  const given = new Map<string, string>();
  for (const [name, value] of call.url.searchParams) {
    if (given.has(name))
      throw new RequestProblem(400, `The query has '${shorten(name)}' twice; give it once.`);
    given.set(name, value);
  }
  return checkShape(Object.fromEntries(given), schema, 'The query');
}

/**
 * The JSON of a body. An empty body counts as `{}`, unless that would mean something. Throws a RequestProblem, or a ServiceBusError for
 * a body that is too large.
 */
export async function readJson(
  call: HttpCall,
  maxBytes: number,
  { takesEmpty = true }: { readonly takesEmpty?: boolean } = {},
): Promise<unknown> {
  const bytes = await readBody(call, { maxBytes, tooLarge });
  if (bytes.length === 0) {
    if (takesEmpty) return {};
    throw new RequestProblem(
      400,
      'The body is empty; send a message as JSON, or {} for one without content.',
    );
  }
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (isWithinJsonBounds(json)) return JSON.parse(json);
  } catch {
    const seen = shorten(bytes.toString());
    throw new RequestProblem(400, `The body must be JSON in UTF-8, not ${JSON.stringify(seen)}.`);
  }
  throw new RequestProblem(
    400,
    `The body may have ${JSON_BOUNDS_TEXT}, but has more. Send the body of a message as a text or as bodyBase64.`,
  );
}

function tooLarge(size: string, maxBytes: number): ServiceBusError {
  const said = `The body (size: ${size}) is larger than the ${maxBytes} bytes that one request may have; send less in one request.`;
  return new ServiceBusError('message-size-exceeded', said, { property: 'message', limit: maxBytes });
}

/** The body of a call, by its schema; an empty body counts as `{}`. Throws like `readJson` and `checkShape`. */
export async function readBodyOf<Schema extends z.ZodType>(
  call: HttpCall,
  schema: Schema,
  maxBytes = MAX_BODY_BYTES,
): Promise<z.infer<Schema>> {
  return checkShape(await readJson(call, maxBytes), schema, 'The body');
}

/** Throws a RequestProblem that names every mistake. */
export function checkShape<Schema extends z.ZodType>(
  given: unknown,
  schema: Schema,
  what: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RequestProblem(400, `${what} is not valid: ${wordIssues(parsed.error.issues, given)}`);
}
