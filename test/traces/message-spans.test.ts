// The spans of messages in an emulator, handed to a tracer of OpenTelemetry, and the metrics handed to its meter.

import { trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDER = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${SENDER}-01`;

const finished = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: finished })] });
let emulator: Emulator;

beforeAll(async () => {
  trace.setGlobalTracerProvider(provider);
  emulator = await startEmulator({
    telemetry: true,
    clock: 'virtual',
    tls: 'off',
    queues: [
      'orders?maxDeliveryCount=1&lockDuration=PT5S',
      'first?forwardTo=second',
      'second',
      'short?defaultMessageTimeToLive=PT1S',
    ],
    topics: ['events/audit+mail'],
  });
});

afterAll(async () => {
  await emulator.stop();
  trace.disable();
});

beforeEach(() => finished.reset());

async function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: 'SharedAccessSignature any', ...init.headers };
  const response = await fetch(`http://127.0.0.1:${emulator.port}/${path}`, { ...init, method, headers });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return response;
}

async function send(entity: string, properties: Readonly<Record<string, string>> = {}, broker = {}) {
  const quoted = Object.entries(properties).map(([name, value]) => [name, JSON.stringify(value)]);
  const headers = {
    ...Object.fromEntries(quoted),
    brokerproperties: JSON.stringify({ MessageId: 'm', ...broker }),
  };
  await call('POST', `${entity}/messages`, { headers, body: 'x' });
}

/** Locks the first message. Returns its path. */
async function lock(entity: string): Promise<string> {
  const response = await call('POST', `${entity}/messages/head?timeout=5`);
  const { SequenceNumber, LockToken } = JSON.parse(response.headers.get('brokerproperties') ?? '');
  return `${entity}/messages/${SequenceNumber}/${LockToken}`;
}

const EVERY = { filter: 'sys.DeliveryCount >= 0' };

async function post(path: string, body: unknown): Promise<void> {
  await call('POST', `$jitney/v1/${path}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
}

/** The spans as a tree, each under its parent and with its error, beginning with those whose parent is none of them. */
async function tree(): Promise<string> {
  await emulator.queue('orders').counts(); // what is durable has been told
  const spans = finished.getFinishedSpans();
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const lines = (parents: (span: ReadableSpan) => boolean, indent: string): string[] =>
    spans
      .filter(parents)
      .flatMap((span) => [
        indent + span.name + (span.status.message === undefined ? '' : ` (${span.attributes['error.type']})`),
        ...lines((one) => one.parentSpanContext?.spanId === span.spanContext().spanId, `${indent}  `),
      ]);
  return lines((span) => !ids.has(span.parentSpanContext?.spanId ?? ''), '').join('\n');
}

function traceIds(): ReadonlySet<string> {
  return new Set(finished.getFinishedSpans().map((span) => span.spanContext().traceId));
}

const attributesOf = (name: string) =>
  finished.getFinishedSpans().find((span) => span.name === name)?.attributes;

test('a message has one tree, from the span of its sender through a dead letter and a resubmit to its end', async () => {
  await send('orders', { 'Diagnostic-Id': TRACEPARENT });
  await call('PUT', await lock('orders'));
  await post('messages:resubmit?entity=orders/$DeadLetterQueue', EVERY);
  await call('DELETE', await lock('orders'));
  expect(await tree()).toBe(`accept orders
  deliver orders
    abandon orders
  dead_letter orders (MaxDeliveryCountExceeded)
    resubmit orders/$DeadLetterQueue
      accept orders
        deliver orders
          complete orders`);
  expect([...traceIds()]).toEqual([TRACE]);
  const [accepted] = finished.getFinishedSpans();
  expect(accepted?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SENDER, isRemote: true });
});

test('a message without a trace begins one, and stays in it when it is resubmitted and forwarded', async () => {
  await send('first');
  await post('messages:dead-letter?entity=second', { ...EVERY, reason: 'NoAddress', description: 'No city' });
  await post('messages:resubmit?entity=second/$DeadLetterQueue', EVERY);
  await call('DELETE', await lock('second'));
  expect(await tree()).toBe(`accept first
  forward first
    accept second
      dead_letter second (_OTHER)
        resubmit second/$DeadLetterQueue
          accept second
            deliver second
              complete second`);
  expect(traceIds().size).toBe(1);
  expect(attributesOf('dead_letter second')).toMatchObject({
    'jitney.dead_letter.reason': 'NoAddress',
    'jitney.dead_letter.description': 'No city',
  });
});

test('the copies of a message are in its tree', async () => {
  const type = { 'content-type': 'application/vnd.microsoft.servicebus.json' };
  const UserProperties = { tracestate: 'vendor=1', traceparent: TRACEPARENT };
  await call('POST', 'events/messages', {
    headers: type,
    body: JSON.stringify([{ Body: 'x', UserProperties }]),
  });
  for (const name of ['audit', 'mail']) await call('DELETE', await lock(`events/subscriptions/${name}`));
  expect(await tree()).toBe(`accept events
  deliver events/Subscriptions/audit
    complete events/Subscriptions/audit
  deliver events/Subscriptions/mail
    complete events/Subscriptions/mail`);
  const [accepted] = finished.getFinishedSpans();
  expect(accepted?.spanContext().traceState?.serialize()).toBe('vendor=1');
});

test('a lock that ran out, an expiry and a schedule have spans, by the time of the machine', async () => {
  const before = Date.now();
  await send('orders');
  await lock('orders');
  await send('short', {}, { ScheduledEnqueueTimeUtc: new Date(before + 3_600_000).toUTCString() });
  await emulator.clock.advance('PT2H');
  expect(await tree()).toBe(`accept orders
  deliver orders (MessageLockLost)
  dead_letter orders (MaxDeliveryCountExceeded)
schedule short
  activate short
  expire short (TTLExpiredException)`);
  for (const { startTime, endTime } of finished.getFinishedSpans()) {
    expect(startTime[0]).toBeGreaterThanOrEqual(Math.floor(before / 1000) - 1);
    expect(endTime[0]).toBeLessThanOrEqual(Date.now() / 1000 + 1);
  }
});

test('a span has the attributes of the conventions', async () => {
  await send('events', {}, { CorrelationId: 'c', SessionId: 's' });
  await call('DELETE', await lock('events/subscriptions/audit'));
  await tree();
  expect(attributesOf('accept events')).toMatchObject({
    'messaging.system.name': 'azure.servicebus',
    'messaging.system': 'servicebus',
    'messaging.operation.name': 'accept',
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'events',
    'messaging.message.id': 'm',
    'messaging.message.conversation_id': 'c',
    'messaging.message.envelope.size': expect.any(Number),
    'jitney.session_id': 's',
    'jitney.sequence_number': expect.any(Number),
  });
  expect(attributesOf('deliver events/Subscriptions/audit')).toMatchObject({
    'messaging.operation.type': 'receive',
    'messaging.destination.name': 'events',
    'messaging.destination.subscription.name': 'audit',
    'azure.servicebus.message.delivery_count': 1,
    'messaging.message.id': 'm',
  });
  expect(attributesOf('complete events/Subscriptions/audit')).toMatchObject({
    'messaging.operation.type': 'settle',
    'azure.servicebus.disposition_status': 'complete',
  });
});

test('a message that was there before is in the trace of its sender, also when it is resubmitted', async () => {
  for (const entity of ['orders', 'second']) await send(entity, { 'Diagnostic-Id': TRACEPARENT });
  await post('messages:dead-letter?entity=second', EVERY);
  const snapshot = await emulator.snapshot();
  await emulator.reset();
  await emulator.restore(snapshot);
  finished.reset();
  await call('DELETE', await lock('orders'));
  await post('messages:resubmit?entity=second/$DeadLetterQueue', EVERY);
  expect(await tree()).toBe(`deliver orders
  complete orders
resubmit second/$DeadLetterQueue
  accept second`);
  const senders = finished.getFinishedSpans().map((span) => span.parentSpanContext?.spanId === SENDER);
  expect(senders.filter((isSender) => isSender)).toHaveLength(2);
  expect([...traceIds()]).toEqual([TRACE]);
});
