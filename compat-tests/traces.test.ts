// Traces of the built product beside those of a program with the official SDK, received by a collector.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { attributeOf, type CollectedSpan, Collector } from './support/collector.js';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';

const SHOP = fileURLToPath(new URL('./support/traced-shop.mjs', import.meta.url));

/** The spans of a trace, each with its service below its parent, in the order of their start. */
function treeOf(spans: readonly CollectedSpan[], parent: string | undefined, indent = ''): readonly string[] {
  return spans
    .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
    .sort((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
    .flatMap(({ service, name, spanId }) => [
      `${indent}${service}: ${name}`,
      ...treeOf(spans, spanId, `${indent}  `),
    ]);
}

test("a message has one tree of spans, its sender's and those of Jitney, through a dead letter and a resubmit", async () => {
  await using collector = await Collector.start();
  const jitney = await Jitney.start({ queues: ['orders'], environment: collector.variables() });
  const { port } = jitney.address;
  const shop = new RunningProcess([SHOP], {
    env: {
      ...collector.variables('shop'),
      CONNECTION_STRING: jitney.connectionString,
      CONTROL: `http://127.0.0.1:${port}/$jitney/v1`,
    },
  });
  expect(await shop.endedWithin(LAST_LIMIT_MS), shop.output).toEqual({ code: 0, signal: null });
  expect(await jitney.stop()).toEqual({ code: 0, signal: null });
  expect(jitney.process.output).toContain('Traces and metrics go to http://127.0.0.1:');

  const traceId = collector.spans.find(({ name }) => name === 'checkout')?.traceId;
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  expect(treeOf(spans, undefined).join('\n')).toBe(`shop: checkout
  shop: message
    jitney: accept orders
      jitney: deliver orders
      jitney: dead_letter orders
        jitney: resubmit orders/$DeadLetterQueue
          jitney: accept orders
            jitney: deliver orders
              jitney: complete orders
  shop: ServiceBusSender.send`);
  const starts = spans
    .filter(({ service }) => service === 'jitney')
    .map((span) => BigInt(span.startTimeUnixNano));
  expect(starts.some((nanoseconds) => nanoseconds % 1_000_000n !== 0n)).toBe(true);
  const dead = spans.find(({ name }) => name === 'dead_letter orders');
  expect(dead?.status).toEqual({ code: 2, message: 'NoAddress: No city' });
  expect(attributeOf(dead?.attributes ?? [], 'messaging.message.id')).toBe('a-17');

  const settled = collector.metrics.get('servicebus_messages_settled')?.sum?.dataPoints ?? [];
  const values = settled
    .filter(({ attributes }) => attributeOf(attributes, 'messaging.destination.name') === 'orders')
    .map((point) => [
      attributeOf(point.attributes, 'azure.servicebus.disposition_status'),
      point.asDouble ?? point.asInt,
    ]);
  expect(Object.fromEntries(values)).toEqual({ complete: 1, abandon: 0, defer: 0, dead_letter: 1 });
  expect(collector.metrics.get('servicebus_message_held')).toMatchObject({ unit: 's' });
});
