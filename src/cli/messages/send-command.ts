// `jitney send`: makes messages from options, and sends them until the service has accepted all.

import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { AmqpClient } from '../../client/amqp-client.js';
import { hasNoOutcome, interruption } from '../../client/client-error.js';
import { flagName } from '../../config/environment.js';
import { whyUnreadable } from '../../config/why-unreadable.js';
import { encodeMessage } from '../../content/encode-message.js';
import { NO_PROPERTIES, type PropertyParts, type SentParts } from '../../content/message-parts.js';
import { readOffset, readSpan } from '../../content/ticks.js';
import { encodeTyped, SENT_TYPES, type SentType } from '../../content/typed-value.js';
import { shown } from '../../description/value-error.js';
import { JitneyError } from '../../jitney-error.js';
import type { CommandContext } from '../output/command-context.js';
import { usageError } from '../output/error-report.js';
import { countOf } from '../output/output.js';
import { type InputLine, linesOf } from './input-lines.js';
import type { MessageRequest } from './message-commands.js';
import { jsonLine } from './message-lines.js';
import { MessageOptions } from './message-options.js';
import { FINISH_MS, type ReceiveContext } from './receive-command.js';
import { type OutgoingMessage, SendPipeline } from './send-pipeline.js';

type SendContext = ReceiveContext & Pick<CommandContext, 'openInput' | 'now'>;

type Sending = {
  readonly bodies: AsyncIterable<InputLine>;
  readonly properties: PropertyParts;
  readonly applicationProperties: SentParts['applicationProperties'];
  readonly path: string;
  readonly isJson: boolean;
  /** Whether each body is a line of the input. */
  readonly hasLines: boolean;
};

type Failure = SendPipeline['refused'][number];
type SentProperty = SentParts['applicationProperties'][number];

/** A line about progress is written after so many messages. */
const PROGRESS_STEP = 10_000;
const MOST_LINES_SHOWN = 10;
/** Why an option cannot be combined with --lines. */
const ODD: Readonly<Record<string, string>> = {
  body: "the lines come from --file or '-'",
  count: 'each line is one message',
  messageId: 'each message gets an id of its own',
};

/** Reads the options and the body before anything is connected. Throws a JitneyError. */
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
    replyToSessionId: options.text('replyToSession'),
    partitionKey: options.text('partitionKey'),
    replyTo: options.text('replyTo'),
    to: options.text('to'),
    scheduledEnqueueTime: options.instant('schedule', context.now()),
    timeToLiveMs: options.timeToLive('ttl'),
  };
  const applicationProperties = options.list('property').map(readProperty);
  const bodies = await readBodies(request, options, context);
  const shape = { isJson: options.has('json'), hasLines: options.has('lines') };
  return { bodies, properties, applicationProperties, path, ...shape };
}

/** Prints each message when it is accepted. Throws a JitneyError for the first that is not accepted. */
export async function runSend(client: AmqpClient, sending: Sending, context: SendContext): Promise<number> {
  const sender = await client.openSender(sending.path);
  client.finishWithin(FINISH_MS);
  let count = 0;
  const lost: unknown[] = [];
  const onAccepted = async (message: OutgoingMessage) => {
    count += 1;
    if (count % PROGRESS_STEP === 0) context.stderr(`Sent ${count} messages so far\n`);
    // If an id cannot be printed, because the reader has gone or the output cannot be written, the messages are sent all the same.
    await context.print(lineOf(sending, message)).catch((error) => lost.push(error));
  };
  const pipeline = new SendPipeline(sender, onAccepted, context.interrupted);
  try {
    await pipeline.send(messagesOf(sending, context));
  } finally {
    context.stderr(summaryOf(pipeline, sending));
  }
  if (context.interrupted.aborted) throw interruption();
  const [first] = [...pipeline.refused, ...pipeline.unsure];
  if (first !== undefined) throw failureOf(first, pipeline, sending);
  if (lost.length > 0) throw lost[0];
  return 0;
}

async function* messagesOf(
  { bodies, properties, applicationProperties }: Sending,
  { now }: SendContext,
): AsyncGenerator<OutgoingMessage> {
  for await (const { number, bytes: body } of bodies) {
    const messageId = properties.messageId ?? randomUUID();
    const parts: SentParts = { properties: { ...properties, messageId }, applicationProperties, body };
    yield { number, messageId, content: encodeMessage(parts, now()) };
  }
}

/** Says how many messages were sent, refused or unsure, so that the rest can be sent later. */
function summaryOf(pipeline: SendPipeline, { path, hasLines }: Sending): string {
  const { acceptedCount, refused, unsure, stoppedAfter } = pipeline;
  const isNothing = acceptedCount === 0 && refused.length > 0 && !hasLines;
  const [from, to] = [unsure.at(0)?.number, unsure.at(-1)?.number];
  const lines = !hasLines ? '' : from === to ? `: line ${from}` : `: of lines ${from} to ${to}`;
  return [
    ...(isNothing ? [] : [`Sent ${countOf(acceptedCount, 'message')} to ${path}\n`]),
    ...(unsure.length === 0 ? [] : [`${countOf(unsure.length, 'more message')} may have arrived${lines}\n`]),
    // It may have been the last line: the command has not waited for the end of the input.
    ...(hasLines && stoppedAfter > 0 ? [`Nothing after line ${stoppedAfter} was sent\n`] : []),
  ].join('');
}

/** The first error. With --lines, it also names the refused lines. */
function failureOf({ number, error }: Failure, { refused }: SendPipeline, { hasLines }: Sending): unknown {
  if (!hasLines || !(error instanceof JitneyError) || hasNoOutcome(error)) return error;
  const others = refused.slice(1, MOST_LINES_SHOWN).map((one) => one.number);
  const more = refused.length > MOST_LINES_SHOWN ? ', ...' : '';
  return new JitneyError(error.kind, `Line ${number}: ${error.message}`, {
    problems: [
      ...error.problems,
      ...(others.length === 0
        ? []
        : [`Also refused: line${others.length === 1 ? '' : 's'} ${others.join(', ')}${more}`]),
    ],
    cause: error,
  });
}

function lineOf(
  { properties, path, isJson, hasLines }: Sending,
  { messageId, number }: OutgoingMessage,
): string {
  if (!isJson) return `${messageId}\n`;
  const { sessionId, scheduledEnqueueTime: time } = properties;
  const scheduledEnqueueTime = time === undefined ? undefined : new Date(time).toISOString();
  const line = hasLines ? number : undefined;
  return jsonLine({ entity: path, line, messageId, sessionId, scheduledEnqueueTime });
}

function contentTypeOf(options: MessageOptions): string | undefined {
  const text = options.text('contentType');
  if (text === undefined || /^[\x20-\x7e]*$/.test(text)) return text;
  throw usageError(`--content-type must be ASCII, not ${shown(text)}`);
}

/** The bodies of all messages. A file that cannot be read is refused here. */
async function readBodies(
  { input }: MessageRequest,
  options: MessageOptions,
  { openInput }: SendContext,
): Promise<AsyncIterable<InputLine>> {
  const text = options.text('body');
  const file = options.text('file');
  const given = [text, file, input].filter((one) => one !== undefined);
  if (given.length !== 1) throw usageError("give the body with exactly one of --body, --file and '-'");
  if (input !== undefined && input !== '-') {
    throw usageError(`unknown word ${shown(input)}: give the body with --body, --file or '-'`);
  }
  const isStandardInput = input === '-' || file === '-';
  const openBytes = async () =>
    isStandardInput ? withReadErrors(openInput(), 'standard input') : openFile(file ?? '');
  if (options.has('lines')) {
    const odd = ['body', 'count', 'messageId'].find((name) => options.has(name));
    if (odd !== undefined) throw usageError(`--lines and ${flagName(odd)} cannot be combined: ${ODD[odd]}`);
    return linesOf(await openBytes());
  }
  const body = text === undefined ? await readWhole(await openBytes()) : Buffer.from(text);
  return copiesOf(body, options.count('count', 1));
}

async function* copiesOf(bytes: Uint8Array, count: number): AsyncGenerator<InputLine> {
  for (let number = 1; number <= count; number += 1) yield { number, bytes };
}

async function readWhole(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  return Buffer.concat(read);
}

async function openFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  try {
    const file = await open(path);
    const isDirectory = (await file.stat()).isDirectory();
    if (!isDirectory) return withReadErrors(file.createReadStream(), '--file');
    await file.close();
  } catch (error) {
    throw usageError(`--file ${path} cannot be read: ${await whyUnreadable(path, error)}`, error);
  }
  throw usageError(`--file must be a file, but '${path}' is a directory`);
}

/** Passes the bytes on, and throws a JitneyError for a part that cannot be read. */
async function* withReadErrors(
  parts: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* parts;
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): Error {
  return usageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`, error);
}

/** `name=value` is a text; `name:type=value` is a value of another type. */
function readProperty(text: string): SentProperty {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(`--property must be name=value or name:type=value, not ${shown(text)}`);
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  const colon = name.lastIndexOf(':');
  if (colon < 0) return { name, value };
  const plainName = name.slice(0, colon);
  const type = typeOf(plainName, name.slice(colon + 1));
  const encoded = isDescribed(type) ? DESCRIBED[type](value) : encodeTyped(type, plainValue(type, value));
  if (encoded === undefined)
    throw usageError(`--property ${plainName} must be of type ${type}, not ${shown(value)}`);
  return { name: plainName, value: { kind: 'other', encoded } };
}

/** Values of .NET that are described ones in AMQP. */
const DESCRIBED = {
  uri: (text: string) => encodeTyped('string', text, 'com.microsoft:uri'),
  timespan: (text: string) => encodeTicks(readSpan(text), 'com.microsoft:timespan'),
  'datetime-offset': (text: string) => encodeTicks(readOffset(text), 'com.microsoft:datetime-offset'),
} as const;
type Described = keyof typeof DESCRIBED;
const PROPERTY_TYPES = [...SENT_TYPES, ...(Object.keys(DESCRIBED) as Described[])];

function isDescribed(type: SentType | Described): type is Described {
  return Object.hasOwn(DESCRIBED, type);
}

function encodeTicks(ticks: bigint | undefined, descriptor: string): Uint8Array | undefined {
  return ticks === undefined ? undefined : encodeTyped('long', String(ticks), descriptor);
}

/** Throws a JitneyError for a word that is not a type: the colon may be part of the name. */
function typeOf(name: string, word: string): SentType | Described {
  if (name === '') throw usageError(`--property must have a name before ':', not ${shown(`:${word}`)}`);
  const type = PROPERTY_TYPES.find((one) => one === word);
  if (type !== undefined) return type;
  const types = `--property ${shown(name)} must have one of the types ${PROPERTY_TYPES.join(', ')}, not ${shown(word)}`;
  throw usageError(`${types}. A name with a colon is written with its type: ${name}:${word}:string=<value>`);
}

/** The value in the form of JSON. */
function plainValue(type: SentType, text: string): string | number | boolean | null {
  const word = { true: true, false: false, null: null }[text];
  if ((type === 'boolean' || type === 'null') && word !== undefined) return word;
  const isNumber =
    (type === 'float' || type === 'double') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}
