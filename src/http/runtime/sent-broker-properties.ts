// BrokerProperties as a sender writes them, in a header or in a batch: JSON whose keys are those of Azure's documentation.

import { NEVER } from '../../broker/instant.js';
import { NOTHING_SAID, type PropertyParts } from '../../content/message-parts.js';
import { parseDuration } from '../../description/duration.js';
import { readParts, shown, ValueError, within } from '../../description/value-error.js';
import { parseHttpDate, parseIsoDate } from './http-date.js';

type TextProperty = Exclude<keyof PropertyParts, 'scheduledEnqueueTime' | 'timeToLiveMs'>;

/** Spelled exactly so: a key in another case is as unknown as any other, and means nothing. */
const TEXTS: readonly (readonly [key: string, property: TextProperty])[] = [
  ['MessageId', 'messageId'],
  ['To', 'to'],
  ['Label', 'subject'],
  ['ReplyTo', 'replyTo'],
  ['CorrelationId', 'correlationId'],
  ['ContentType', 'contentType'],
  ['SessionId', 'sessionId'],
  ['ReplyToSessionId', 'replyToSessionId'],
  ['PartitionKey', 'partitionKey'],
  ['ViaPartitionKey', 'viaPartitionKey'],
];
const SECOND_MS = 1000;
/** TimeSpan.MaxValue in seconds: how .NET says never. */
const NEVER_SECONDS = 922_337_203_685;
const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Throws a ValueError that says which key is wrong. */
export function parseBrokerProperties(json: string): PropertyParts {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    throw new ValueError(`must be JSON such as {"MessageId":"1"}, not ${shown(json)}`);
  }
  return readBrokerProperties(given);
}

export function readBrokerProperties(given: unknown): PropertyParts {
  const fieldOf = fieldsOf(given);
  const texts = readParts(
    TEXTS.map(
      ([key, property]) =>
        () =>
          [property, within(key, () => readText(fieldOf(key)))] as const,
    ),
  );
  const said: PropertyParts = {
    ...NOTHING_SAID,
    ...Object.fromEntries(texts),
    scheduledEnqueueTime: within('ScheduledEnqueueTimeUtc', () =>
      readDate(fieldOf('ScheduledEnqueueTimeUtc')),
    ),
    timeToLiveMs:
      within('TimeToLiveTimeSpan', () => readTimeSpan(fieldOf('TimeToLiveTimeSpan'))) ??
      within('TimeToLive', () => readSeconds(fieldOf('TimeToLive'))),
  };
  checkTexts(said);
  return said;
}

/** The value of a key; null is as good as none. */
export function fieldsOf(given: unknown): (key: string) => unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ValueError(`must be a JSON object, not ${shown(given)}`);
  }
  const fields = new Map<string, unknown>(Object.entries(given));
  return (key) => fields.get(key) ?? undefined;
}

function checkTexts({ sessionId, partitionKey, contentType }: PropertyParts): void {
  if (sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey) {
    within('PartitionKey', () => {
      throw new ValueError(`must be equal to SessionId, ${shown(sessionId)}, not ${shown(partitionKey)}`);
    });
  }
  if (contentType !== undefined) within('ContentType', () => checkContentType(contentType));
}

/** AMQP has it as a symbol, which is ASCII. */
export function checkContentType(text: string): void {
  if (!PRINTABLE_ASCII.test(text)) {
    throw new ValueError(`must be ASCII, such as application/json, not ${shown(text)}`);
  }
}

function readText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new ValueError(`must be a text, not ${shown(value)}`);
}

/** azure-sb has it as text. */
function readSeconds(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds > 0)) {
    throw new ValueError(`must be a number of seconds above 0, not ${shown(value)}`);
  }
  return seconds >= NEVER_SECONDS ? NEVER : Math.max(1, Math.round(seconds * SECOND_MS));
}

function readTimeSpan(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    throw new ValueError(`must be a duration such as 00:05:00, not ${shown(value)}`);
  }
  const durationMs = parseDuration(value);
  if (durationMs > 0) return durationMs;
  throw new ValueError(`must be longer than 0, and ${shown(value)} is not`);
}

function readDate(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? (parseHttpDate(value) ?? parseIsoDate(value)) : undefined;
  if (ms !== undefined) return ms;
  throw new ValueError(`must be a date such as "Sun, 06 Nov 1994 08:49:37 GMT", not ${shown(value)}`);
}
