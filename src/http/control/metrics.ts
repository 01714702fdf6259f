// GET /metrics: gauges of entities, clients and the process, which are counted when they are read, and counters of what has happened.

import { setImmediate as nextLoop } from 'node:timers/promises';
import type {
  InspectedEntity,
  InspectedQueue,
  InspectedSubscription,
} from '../../broker/contract/inspection.js';
import type { ActivityCounts } from '../../watch/activity-counts.js';
import {
  type ConnectionsPort,
  expectResult,
  type HttpContext,
  type NamespaceEntry,
  type RoutedCall,
} from '../http-context.js';
import { eventCounters, messageCounters } from './message-counters.js';
import { counter, gauge, type Metric, type Sample, writeMetric } from './metric.js';

/** Each entity has about twenty series, so with more entities than this only totals are written. */
const MAX_ENTITIES = 1000;
const TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const MICROSECONDS = 1_000_000;
const MILLISECONDS = 1000;

/** A client of `default` gets the metrics of all namespaces: with several, each series has the label `namespace`. */
export async function getMetrics({ context }: RoutedCall): Promise<Response> {
  const pieces: string[] = [];
  for (const metric of await readMetrics(context)) {
    for (const piece of writeMetric(metric)) {
      pieces.push(piece);
      await nextLoop();
    }
  }
  return new Response(pieces.join(''), {
    headers: { 'content-type': TYPE, 'cache-control': 'no-store' },
  });
}

/** The present values of all metrics. With several namespaces, each series of one has the label `namespace`. */
export async function readMetrics(context: HttpContext): Promise<readonly Metric[]> {
  const all = context.control?.namespaces?.list() ?? [];
  const metrics = all.length < 2 ? await metricsOf(context) : await metricsOfAll(all);
  return [buildInfo(context.control?.version ?? ''), ...metrics, ...ofProcess(context.startedTime)];
}

/** One metric of each name, with the samples of all namespaces. There may be a thousand, and clients go on between them. */
async function metricsOfAll(all: readonly NamespaceEntry[]): Promise<readonly Metric[]> {
  const byName = new Map<string, Metric & { readonly samples: Sample[] }>();
  for (const each of all) {
    for (const metric of labelled(await metricsOf(each.context), each)) {
      const before = byName.get(metric.name);
      if (before === undefined) byName.set(metric.name, { ...metric, samples: [...metric.samples] });
      else for (const sample of metric.samples) before.samples.push(sample);
    }
    await nextLoop();
  }
  return [...byName.values()];
}

function labelled(metrics: readonly Metric[], { context }: NamespaceEntry): readonly Metric[] {
  const { namespace = '' } = context.control ?? {};
  return metrics.map((metric) => ({
    ...metric,
    samples: metric.samples.map(([labels, ...value]): Sample => [{ namespace, ...labels }, ...value]),
  }));
}

async function metricsOf(context: HttpContext): Promise<readonly Metric[]> {
  const result = await context.engine.ask({ kind: 'inspect-namespace' });
  // A namespace that has been removed meanwhile has failed.
  if (result.kind === 'failed') return [];
  const { entities } = expectResult(result, 'inspected-entities');
  const nowMs = (context.now ?? Date.now)();
  const all = entities.flatMap<InspectedEntity>((entity) =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
  );
  return [
    ...totals(all),
    ...connections(context.control?.connections),
    ...(all.length > MAX_ENTITIES ? [] : perEntity(all, nowMs)),
    ...counters(
      context.control?.activity?.counts,
      all.length > MAX_ENTITIES ? undefined : all.map(({ path }) => path),
    ),
  ];
}

function buildInfo(version: string): Metric {
  return gauge('servicebus_build_info', 'The version of the emulator', [
    [{ version, node: process.version }, 1],
  ]);
}

function totals(all: readonly InspectedEntity[]): readonly Metric[] {
  const kinds = ['queue', 'topic', 'subscription'] as const;
  const roles = ['sender', 'receiver', 'browser'] as const;
  const linksOf = (role: (typeof roles)[number]) =>
    all.reduce((sum, { attached }) => sum + attached[`${role}s`], 0);
  return [
    gauge(
      'servicebus_entities',
      'Queues, topics and subscriptions',
      kinds.map((kind) => [{ kind }, all.filter((entity) => entity.kind === kind).length]),
    ),
    gauge(
      'servicebus_links',
      'Attached links',
      roles.map((role) => [{ role }, linksOf(role)]),
    ),
  ];
}

/** The transports of AMQP connections. */
const TRANSPORTS = ['tcp', 'tls', 'websocket', 'websocket-tls'] as const;

function connections(port: ConnectionsPort | undefined): readonly Metric[] {
  if (port === undefined) return [];
  const open = port.list();
  return [
    gauge(
      'servicebus_connections',
      'Open AMQP connections',
      TRANSPORTS.map((transport) => [
        { transport },
        open.filter((connection) => connection.transport === transport).length,
      ]),
    ),
  ];
}

/** If the stream of activities is off, nothing has been counted, so the series are left out rather than wrong. */
function counters(
  counts: ActivityCounts | undefined,
  paths: readonly string[] | undefined,
): readonly Metric[] {
  return counts === undefined ? [] : [...messageCounters(counts, paths), ...eventCounters(counts)];
}

const STATES = [
  ['active', 'active'],
  ['locked', 'locked'],
  ['scheduled', 'scheduled'],
  ['deferred', 'deferred'],
  ['deadLetter', 'dead_letter'],
  ['transfer', 'transfer'],
  ['transferDeadLetter', 'transfer_dead_letter'],
] as const;

function perEntity(all: readonly InspectedEntity[], nowMs: number): readonly Metric[] {
  const waiting = all.filter(
    (entity): entity is InspectedQueue | InspectedSubscription => entity.kind !== 'topic',
  );
  return [
    gauge('servicebus_entity_messages', 'Messages by state', all.flatMap(messageSamples)),
    gauge(
      'servicebus_entity_size_bytes',
      'Content bytes of all messages',
      all.map(({ path, sizeBytes }) => [{ entity: path }, sizeBytes]),
    ),
    gauge(
      'servicebus_entity_oldest_message_age_seconds',
      'Age of the first active message; no series without one',
      waiting.flatMap(({ path, oldestActiveTime }) =>
        oldestActiveTime === undefined
          ? []
          : [[{ entity: path }, Math.max(0, nowMs - oldestActiveTime) / MILLISECONDS] as const],
      ),
    ),
  ];
}

function messageSamples({ path, counts }: InspectedEntity): readonly Sample[] {
  return STATES.map(([name, state]) => [{ entity: path, state }, counts[name]]);
}

function ofProcess(startedTime: Date): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    counter('process_cpu_seconds_total', 'Processor time', [[{}, (user + system) / MICROSECONDS]]),
    gauge('process_resident_memory_bytes', 'Memory in use', [[{}, process.memoryUsage.rss()]]),
    gauge('process_start_time_seconds', 'Start of the emulator since 1970', [
      [{}, startedTime.getTime() / MILLISECONDS],
    ]),
  ];
}
