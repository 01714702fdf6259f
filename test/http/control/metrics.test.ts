// GET /metrics in the text format of Prometheus, and the entity that may have its name.

import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectionSummary } from '../../../src/amqp/open-connections.js';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import { managedSchema, sentSchema } from '../../../src/http/control/control-schemas.js';
import { readMetrics } from '../../../src/http/control/metrics.js';
import { ActivityStream } from '../../../src/watch/activity-stream.js';
import {
  CONTROL,
  type ControlUnderTest,
  JSON_TYPE,
  openControlUnderTest,
} from '../support/control-under-test.js';
import { contextUnderTest } from '../support/http-context.js';
import { type MetricFamily, readPrometheusText } from '../support/prometheus-text.js';

let control: ControlUnderTest;

afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

async function read(): Promise<ReadonlyMap<string, MetricFamily>> {
  const response = await control.fetch('/metrics');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readPrometheusText(await response.text());
}

function samplesOf(families: ReadonlyMap<string, MetricFamily>, name: string): Record<string, number> {
  return Object.fromEntries(families.get(name)?.samples ?? []);
}

/** The emulator with a stream, as the command line starts it; the stream keeps no more than two records. */
async function openRecording(options: Parameters<typeof openControlUnderTest>[0]): Promise<ActivityStream> {
  const context = { ...CONTROL };
  control = await openControlUnderTest(options, context);
  const activity = new ActivityStream(control.engine, () => control.clock.now(), { capacity: 2 });
  activity.turnOn();
  Object.assign(context, { activity });
  return activity;
}

it('has gauges of every entity', async () => {
  control = await openControlUnderTest({
    queues: ['orders'],
    topics: [{ name: 'events', subscriptions: ['all'] }],
  });
  await control.post('messages?entity=events', { body: 'x' }, sentSchema);
  const families = await read();
  expect(families.get('servicebus_entity_messages')?.type).toBe('gauge');
  expect(samplesOf(families, 'servicebus_entity_messages')).toMatchObject({
    'entity="events/Subscriptions/all",state="active"': 1,
    'entity="orders",state="dead_letter"': 0,
  });
  expect(Object.keys(samplesOf(families, 'servicebus_entity_oldest_message_age_seconds'))).toEqual([
    'entity="events/Subscriptions/all"',
  ]);
  expect(samplesOf(families, 'servicebus_build_info')).toEqual({
    [`node="${process.version}",version="1.2.3"`]: 1,
  });
  expect(samplesOf(families, 'servicebus_entities')).toMatchObject({ 'kind="subscription"': 1 });
  expect(families.get('process_cpu_seconds_total')?.type).toBe('counter');
});

it('has gauges of the connections, which are all there is without a stream', async () => {
  const open = ['tcp', 'websocket-tls', 'tcp'].map((transport) => ({ transport }) as ConnectionSummary);
  const connections = { list: () => open, endConnection: () => false, endLink: () => false };
  control = await openControlUnderTest({}, { ...CONTROL, connections });
  const families = await read();
  expect(samplesOf(families, 'servicebus_connections')).toEqual({
    'transport="tcp"': 2,
    'transport="tls"': 0,
    'transport="websocket"': 0,
    'transport="websocket-tls"': 1,
  });
  expect([...families.keys()].filter((name) => name.endsWith('_total'))).toEqual([
    'process_cpu_seconds_total',
  ]);
});

it('lets others go on between two namespaces', async () => {
  control = await openControlUnderTest({ queues: ['orders'] });
  const { context } = contextUnderTest(control.engine, { control: CONTROL });
  const all = Array.from({ length: 20 }, () => ({ context, port: undefined, isMade: false }));
  const namespaces = { list: () => all, add: async () => expect.fail(), remove: async () => false };
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    timer = setImmediate(count);
  });
  await readMetrics({ ...context, control: { ...CONTROL, namespaces } });
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(all.length - 1);
});

describe('the counters', () => {
  it('count by entity what happens to messages, also what is no longer in the stream', async () => {
    await openRecording({
      queues: ['orders?requiresDuplicateDetection=true&lockDuration=PT5S', 'inbox?forwardTo=orders'],
      topics: [{ name: 'events', subscriptions: ['all'] }],
    });
    await control.post('messages?entity=orders', [{ messageId: 'a' }, { messageId: 'b' }], sentSchema);
    await control.post('messages?entity=orders', { messageId: 'a' }, sentSchema);
    await control.post('messages?entity=inbox', { messageId: 'c' }, sentSchema);
    await control.post('messages?entity=events', {}, sentSchema);
    const headers = { authorization: 'SharedAccessSignature any' };
    const ask = (method: string, path = '/orders/messages/head?timeout=0') =>
      control.fetch(path, { method, headers });
    const settle = async (method: string) => {
      const place = (await ask('POST')).headers.get('location') ?? '';
      expect((await ask(method, new URL(place).pathname)).status).toBe(200);
    };
    await settle('PUT');
    await settle('DELETE');
    await ask('POST');
    await control.clock.advance(5000);
    await ask('DELETE');

    const families = await read();
    const counted = (name: string) =>
      Object.fromEntries(
        Object.entries(samplesOf(families, `servicebus_messages_${name}_total`)).filter(([, n]) => n > 0),
      );
    expect(counted('incoming')).toEqual({
      'entity="inbox"': 1,
      'entity="orders"': 3,
      'entity="events"': 1,
      'entity="events/Subscriptions/all"': 1,
    });
    expect(counted('outgoing')).toEqual({ 'entity="orders"': 4 });
    expect(counted('redelivered')).toEqual({ 'entity="orders"': 1 });
    expect(counted('settled')).toEqual({
      'disposition="complete",entity="orders"': 1,
      'disposition="abandon",entity="orders"': 1,
    });
    expect(counted('lock_expired')).toEqual({ 'entity="orders"': 1 });
    expect(counted('duplicates_discarded')).toEqual({ 'entity="orders"': 1 });
    expect(counted('forwarded')).toEqual({ 'entity="inbox"': 1 });
    expect(samplesOf(families, 'servicebus_messages_expired_total')).toMatchObject({ 'entity="inbox"': 0 });
    expect(samplesOf(families, 'servicebus_events_total')).toMatchObject({
      'kind="abandoned"': 1,
      'kind="lock-expired"': 1,
      'kind="renewed"': 0,
    });
  });

  it('count dead letters by their reason, with any characters', async () => {
    await openRecording({ queues: ['orders'] });
    await control.post('messages?entity=orders', [{}, {}], sentSchema);
    const dead = (number: number, reason?: string) =>
      control.post(
        'messages:dead-letter?entity=orders',
        { sequenceNumbers: [number], ...(reason === undefined ? {} : { reason }) },
        managedSchema,
      );
    await dead(1, 'a "b"\\\n{c="d"} 1');
    await dead(2);
    expect(samplesOf(await read(), 'servicebus_messages_dead_lettered_total')).toEqual({
      'entity="orders",reason="a \\"b\\"\\\\\\n{c=\\"d\\"} 1"': 1,
      'entity="orders",reason="none"': 1,
    });
  });

  it('count refused operations by their reason, and how long messages were locked', async () => {
    const activity = await openRecording({ queues: ['orders'] });
    for (const entity of ['missing', 'other']) {
      await control.fetch(`messages:purge?entity=${entity}`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: '{}',
      });
      await control.fetch(`entity?entity=${entity}`); // a look, which is no refused operation
    }
    await control.post('messages?entity=orders', [{}, {}], sentSchema);
    const headers = { authorization: 'SharedAccessSignature any' };
    for (const [method, heldMs] of [
      ['DELETE', 0],
      ['PUT', 1500],
    ] as const) {
      const locked = await control.fetch('/orders/messages/head?timeout=0', { method: 'POST', headers });
      await control.clock.advance(heldMs);
      await control.fetch(new URL(locked.headers.get('location') ?? '').pathname, { method, headers });
    }
    const request = { method: 'GET', path: '/', status: 200 } as const;
    activity.add({ kind: 'http-request', ...request, durationMs: 40 });

    const families = await read();
    expect(samplesOf(families, 'servicebus_requests_refused_total')).toEqual({
      'operation="purge",reason="entity-not-found"': 2,
    });
    expect(families.get('servicebus_message_held_seconds')?.type).toBe('histogram');
    expect(samplesOf(families, 'servicebus_message_held_seconds')).toMatchObject({
      '_bucket end="complete",le="0.005"': 1,
      '_bucket end="complete",le="+Inf"': 1,
      '_bucket end="abandon",le="1"': 0,
      '_bucket end="abandon",le="5"': 1,
      '_bucket end="abandon",le="300"': 1,
      '_bucket end="abandon",le="+Inf"': 1,
      '_sum end="abandon"': 1.5,
      '_count end="abandon"': 1,
      '_count end="defer"': 0,
    });
    expect(samplesOf(families, 'servicebus_http_request_duration_seconds')).toMatchObject({
      '_bucket le="0.025"': 0,
      '_bucket le="0.1"': 1,
      _sum: 0.04,
      _count: 1,
    });
  });

  it('count connections that open and close', async () => {
    const activity = await openRecording({});
    const client = { connectionId: 1, name: 'worker', product: undefined, label: 'worker' };
    activity.connectionOpened(client, { kind: 'connection-opened', transport: 'tcp' });
    activity.connectionOpened(
      { ...client, connectionId: 2 },
      { kind: 'connection-opened', transport: 'tls' },
    );
    activity.connectionClosed(1, undefined);
    const families = await read();
    expect(samplesOf(families, 'servicebus_connections_opened_total')).toEqual({ '': 2 });
    expect(samplesOf(families, 'servicebus_connections_closed_total')).toEqual({ '': 1 });
  });
});

it('has totals only when there are more than 1,000 entities', async () => {
  await openRecording({ queues: Array.from({ length: 1001 }, (_, index) => `q${index}`) });
  await control.post('messages?entity=q1', [{}, {}], sentSchema);
  await control.post('messages?entity=q1000', {}, sentSchema);
  const selection = { sequenceNumbers: [1], reason: 'late' };
  await control.post('messages:dead-letter?entity=q1', selection, managedSchema);
  const families = await read();
  expect(samplesOf(families, 'servicebus_entities')).toMatchObject({ 'kind="queue"': 1001 });
  expect(families.has('servicebus_entity_messages')).toBe(false);
  expect(samplesOf(families, 'servicebus_messages_incoming_total')).toEqual({ '': 3 });
  expect(samplesOf(families, 'servicebus_messages_settled_total')).toMatchObject({
    'disposition="complete"': 0,
  });
  expect(samplesOf(families, 'servicebus_messages_dead_lettered_total')).toEqual({ 'reason="late"': 1 });
});

it('yields to an entity of its name, and to calls of an SDK', async () => {
  control = await openControlUnderTest();
  const headers = { authorization: 'SharedAccessSignature any' };
  const missing = await control.fetch('/metrics?api-version=2021-05', { headers });
  expect(await missing.text()).toContain('Publicly Listed Services');
  await control.engine.ask({ kind: 'put-entity', type: 'queue', description: describeQueue('metrics') });
  const response = await control.fetch('/metrics', { headers });
  expect(await response.text()).toContain('<title type="text">metrics</title>');
});
