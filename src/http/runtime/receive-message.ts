// POST and DELETE .../messages/head: waits for the next message, and answers with it.

import type { ReceiveMode } from '../../broker/contract/command.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { BodyPart, ReceivedParts } from '../../content/message-parts.js';
import { readParts } from '../../content/message-parts.js';
import { dashed } from '../../content/read-message.js';
import { encodeForDelivery } from '../../content/splice.js';
import { shown, ValueError } from '../../description/value-error.js';
import { startRealTimer } from '../../engine/timer.js';
import type { RoutedCall } from '../http-context.js';
import { describeDelivery } from './broker-properties.js';
import { DEFAULT_TYPE, emptyAnswer } from './empty-answer.js';
import { type Received, receiveHead } from './head-receiver.js';
import { writeHeaderJson, writeHeaderText, writePropertyValue } from './header-values.js';
import { canBeHeader } from './reserved-headers.js';

const SECOND_MS = 1000;
const DEFAULT_WAIT_S = 60;
/** The longest wait. A longer one ends early with 204, and the client repeats it. */
const LONGEST_WAIT_S = 600;
const SECONDS = /^\d+(?:\.\d+)?$/;
const BINARY_TYPE = 'application/octet-stream';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Receives one message under a lock, after a wait. Throws a ServiceBusError or a ValueError. */
export function peekLockMessage(call: RoutedCall): Promise<Response> {
  return receiveMessage(call, 'peek-lock');
}

/** Receives and deletes one message, after a wait. Throws a ServiceBusError or a ValueError. */
export function receiveAndDeleteMessage(call: RoutedCall): Promise<Response> {
  return receiveMessage(call, 'receive-and-delete');
}

async function receiveMessage(
  { request, url, names, context, share }: RoutedCall,
  receiveMode: ReceiveMode,
): Promise<Response> {
  const { engine, startTimer = startRealTimer } = context;
  const entityPath = names.entity;
  const waitMs = readWait(url);
  const { signal } = request;
  const head = { entityPath, receiveMode, waitMs, startTimer, signal, share } as const;
  const received = await receiveHead(engine, head).catch((cause: unknown) => {
    throw explained(cause, entityPath);
  });
  if (received === undefined) return emptyAnswer(204);
  return answerMessage(received, messagesUrl(url));
}

function readWait({ searchParams }: URL): number {
  const given = searchParams.get('timeout');
  if (given === null || given === '') return DEFAULT_WAIT_S * SECOND_MS;
  if (!SECONDS.test(given)) {
    throw new ValueError(`timeout must be a number of seconds, 0 or more, not ${shown(given)}`);
  }
  return Math.min(Number(given), LONGEST_WAIT_S) * SECOND_MS;
}

/** The URL of a message. It has the host of the request, because azure-sb compares it with the host that it knows. */
function messagesUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(/\/head\/?$/i, '')}`;
}

/** RCV-10 with a text for HTTP, which cannot accept sessions. */
function explained(cause: unknown, entityPath: string): unknown {
  if (!(cause instanceof ServiceBusError) || cause.data.about !== 'requires-sessions') return cause;
  const text =
    'It is not possible for an entity that requires sessions to create a non-sessionful message receiver. ' +
    `Over HTTP there are no sessions: receive from '${entityPath}' over AMQP, with an SDK.`;
  return new ServiceBusError(cause.reason, text, { ...cause.data, entityPath });
}

/** Body, `BrokerProperties` and user properties as headers. A locked message gets a URL below `messagesUrl`, by which it is settled. */
function answerMessage({ delivery, content }: Received, messagesUrl: string): Response {
  const { lockToken, properties } = delivery;
  const parts = readParts(Buffer.concat(encodeForDelivery(content, delivery)));
  const headers = new Headers();
  for (const { name, value } of parts.applicationProperties) {
    const text = canBeHeader(name) ? writePropertyValue(value) : undefined;
    // HTTP ignores case: if several names differ only in case, the first one wins.
    if (text !== undefined && !headers.has(name)) headers.set(name, text);
  }
  headers.set('BrokerProperties', writeHeaderJson(describeDelivery(delivery, parts.properties)));
  headers.set('Content-Type', contentTypeOf(parts));
  // azure-sb would take a content-length for a message property.
  headers.set('Transfer-Encoding', 'chunked');
  if (lockToken !== undefined) {
    headers.set('Location', `${messagesUrl}/${properties.sequenceNumber}/${dashed(lockToken)}`);
  }
  return new Response(bytesOf(parts.body), { status: lockToken === undefined ? 200 : 201, headers });
}

/** The content type of the answer: the sender's, or the service's default if the sender gave none. */
function contentTypeOf({ body, properties: { contentType = '' } }: ReceivedParts): string {
  // The sender's type does not describe encoded AMQP sections.
  if (body.kind === 'sections') return BINARY_TYPE;
  const given = writeHeaderText(contentType).trim();
  if (given !== '') return given;
  return body.kind === 'text' ? TEXT_TYPE : DEFAULT_TYPE;
}

function bytesOf(body: BodyPart): Uint8Array<ArrayBuffer> {
  const bytes = body.kind === 'text' ? Buffer.from(body.text) : body.bytes;
  return bytes as Uint8Array<ArrayBuffer>;
}
