// A message as the command line that sends it again.

import type { RawMessageAnswer } from '../../http/control/control-schemas.js';
import { sentText } from './body-view.js';
import { destinationOf } from './destination.js';
import { propertyText, sentProperty } from './property-text.js';
import { sendableOf } from './sendable.js';

const DEFAULT_PORT = 5672;
const OPTIONS = [
  ['messageId', '--message-id'],
  ['subject', '--subject'],
  ['correlationId', '--correlation-id'],
  ['contentType', '--content-type'],
  ['sessionId', '--session'],
  ['partitionKey', '--partition-key'],
  ['replyTo', '--reply-to'],
  ['replyToSessionId', '--reply-to-session'],
  ['to', '--to'],
  ['scheduledEnqueueTime', '--schedule'],
] as const;

/** `store` is the path of the queue, subscription or dead-letter queue that holds the message. What is not kept stands in comments. */
export function sendCommand(stored: RawMessageAnswer, store: string, port = DEFAULT_PORT): string {
  const { message, lost } = sendableOf(stored);
  const { timeToLiveMs } = message;
  const body = sentText(stored);
  const isBytes = body === undefined;
  const words = [
    `npx jitney send ${quoted(destinationOf(store, stored.deadLetterSource))}${isBytes ? ' -' : ''}`,
    ...(isBytes ? [] : [`--body ${quoted(body)}`]),
    ...OPTIONS.flatMap(([field, option]) => {
      const value = message[field];
      return value === undefined ? [] : [`${option} ${quoted(value)}`];
    }),
    ...(timeToLiveMs === undefined ? [] : [`--ttl PT${timeToLiveMs / 1000}S`]),
    ...propertiesOf(stored, message.applicationProperties ?? {}),
    ...(port === DEFAULT_PORT ? [] : [`--port ${port}`]),
  ];
  const pipe = isBytes ? `printf %s ${quoted(message.bodyBase64 ?? '')} | base64 -d | ` : '';
  return [...lost.map(comment), `${pipe}${words.join(' \\\n  ')}`].join('\n');
}

function propertiesOf(
  { applicationProperties }: RawMessageAnswer,
  kept: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(applicationProperties).flatMap(([name, property]) => {
    if (!Object.hasOwn(kept, name) || sentProperty(property) === undefined) return [];
    const { type, text } = propertyText(property);
    const isPlain = type === 'string' && !name.includes(':') && !name.includes('=');
    return [`--property ${quoted(`${name}${isPlain ? '' : `:${type}`}=${text}`)}`];
  });
}

/** No line of a sender may end the comment. */
function comment(lost: string): string {
  return `# Not kept: ${lost.replace(/[^\x20-\x7e]/g, '?')}`;
}

/** A word for a POSIX shell. Control characters become the escapes of `$'…'`, because a terminal may act on them. */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/[\\']/g, '\\$&').replace(ALL_CONTROL, (one) => {
    const hex = one.charCodeAt(0).toString(16);
    return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
  });
  return `$'${escaped}'`;
}

const CONTROL = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
const ALL_CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
