// `jitney send`: makes messages of options, and sends them until the service has accepted each.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AmqpClient } from '../client/amqp-client.js';
import { encodeMessage } from '../content/encode-message.js';
import { NO_PROPERTIES, type PropertyParts, type SentParts } from '../content/message-parts.js';
import { encodeTyped, SENT_TYPES, type SentType } from '../content/typed-value.js';
import { shown } from '../description/value-error.js';
import type { MessageRequest } from './message-commands.js';
import { jsonLine } from './message-lines.js';
import { MessageOptions, usageError } from './message-options.js';
import { countOf, type Print, type Write } from './output.js';

type SendContext = {
  readonly print: Print;
  readonly stderr: Write;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  readonly now: () => number;
};

type Sending = {
  readonly parts: SentParts;
  readonly count: number;
  readonly path: string;
  readonly isJson: boolean;
};

type SentProperty = SentParts['applicationProperties'][number];

/** Messages, and bytes of them, that wait for their outcome at a time. */
const MOST_AT_ONCE = 500;
const MOST_BYTES_AT_ONCE = 16 * 1024 * 1024;

/** Reads the options and the body before anything is connected. Throws a ConfigError. */
export async function readSending(
  request: MessageRequest,
  path: string,
  context: SendContext,
): Promise<Sending> {
  const options = new MessageOptions(request.own);
  const properties: PropertyParts = {
    ...NO_PROPERTIES,
    messageId: options.text('messageId'),
    subject: options.text('subject'),
    correlationId: options.text('correlationId'),
    contentType: contentTypeOf(options),
    sessionId: options.text('session'),
    scheduledEnqueueTime: options.instant('schedule', context.now()),
    timeToLiveMs: options.duration('ttl', undefined),
  };
  const applicationProperties = options.list('property').map(readProperty);
  const count = options.count('count', 1);
  const body = await readBody(request, options, context);
  return {
    parts: { properties, applicationProperties, body },
    ...{ count, path, isJson: options.has('json') },
  };
}

/** Prints each message when it is accepted. Throws a ClientError for the first that is not. */
export async function runSend(client: AmqpClient, sending: Sending, context: SendContext): Promise<number> {
  const sender = await client.openSender(sending.path);
  const fitting = Math.floor(MOST_BYTES_AT_ONCE / Math.max(1, sending.parts.body.length));
  const most = Math.max(1, Math.min(MOST_AT_ONCE, fitting));
  for (let sent = 0; sent < sending.count; sent += most) {
    const count = Math.min(most, sending.count - sent);
    const ids = Array.from({ length: count }, () => sending.parts.properties.messageId ?? randomUUID());
    const outcomes = await Promise.allSettled(
      ids.map((messageId) => sender.send(encodeMessage(withId(sending.parts, messageId), context.now()))),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (!(await context.print(lineOf(sending, ids[index] ?? '')))) return 0;
    }
  }
  context.stderr(`Sent ${countOf(sending.count, 'message')} to ${sending.path}\n`);
  return 0;
}

function withId(parts: SentParts, messageId: string): SentParts {
  return { ...parts, properties: { ...parts.properties, messageId } };
}

function lineOf({ parts, path, isJson }: Sending, messageId: string): string {
  if (!isJson) return `${messageId}\n`;
  const { sessionId, scheduledEnqueueTime: time } = parts.properties;
  const scheduledEnqueueTime = time === undefined ? undefined : new Date(time).toISOString();
  return jsonLine({ entity: path, messageId, sessionId, scheduledEnqueueTime });
}

function contentTypeOf(options: MessageOptions): string | undefined {
  const text = options.text('contentType');
  if (text === undefined || /^[\x20-\x7e]*$/.test(text)) return text;
  throw usageError(`--content-type must be ASCII, not ${shown(text)}`);
}

async function readBody(
  { input }: MessageRequest,
  options: MessageOptions,
  { readInput }: SendContext,
): Promise<Uint8Array> {
  const text = options.text('body');
  const file = options.text('file');
  const given = [text, file, input].filter((one) => one !== undefined);
  if (given.length !== 1) throw usageError("give the body by one of --body, --file and '-'");
  if (text !== undefined) return Buffer.from(text);
  if (input !== undefined && input !== '-') {
    throw usageError(`unknown word ${shown(input)}: give the body by --body, --file or '-'`);
  }
  if (input === '-' || file === '-') return readInput();
  try {
    return await readFile(file ?? '');
  } catch (error) {
    throw usageError(`--file cannot be read: ${error instanceof Error ? error.message : error}`, error);
  }
}

/** `name=value` is a text; `name:type=value` is a value of another type. */
function readProperty(text: string): SentProperty {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(`--property must be name=value or name:type=value, not ${shown(text)}`);
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  const [, plainName, typeName] = /^(.+):([a-z]+)$/.exec(name) ?? [];
  const type = SENT_TYPES.find((one) => one === typeName);
  if (type === undefined || plainName === undefined) return { name, value };
  const encoded = encodeTyped(type, plainValue(type, value));
  if (encoded === undefined)
    throw usageError(`--property ${plainName} must be of type ${type}, not ${shown(value)}`);
  return { name: plainName, value: { kind: 'other', encoded } };
}

/** The value in the form of JSON. */
function plainValue(type: SentType, text: string): string | number | boolean | null {
  const word = { true: true, false: false, null: null }[text];
  if ((type === 'boolean' || type === 'null') && word !== undefined) return word;
  const isNumber =
    (type === 'float' || type === 'double') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}
