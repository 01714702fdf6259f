// The metrics of /metrics as OpenTelemetry's instruments, under the same names, with the attributes of its conventions.

import type { Attributes, Histogram, Meter, Observable } from '@opentelemetry/api';
import type { Metric, Sample } from '../http/control/metric.js';
import type { ActivityKind, ActivityRecord } from '../watch/activity-record.js';
import { BOUNDS_MS } from '../watch/duration-counts.js';
import { ATTRIBUTE, entityAttributes } from './conventions.js';

const MILLISECONDS = 1000;

/** The endings that Prometheus has in a name. OpenTelemetry has the unit beside it, and writes them itself for Prometheus. */
const ENDINGS = [
  ['_seconds', 's'],
  ['_bytes', 'By'],
] as const;

/** The values of the attribute `end`, as on /metrics. */
const ENDS: Readonly<Partial<Record<ActivityKind, string>>> = {
  completed: 'complete',
  abandoned: 'abandon',
  deferred: 'defer',
  released: 'release',
  'lock-expired': 'lock_expired',
};

export type ExportedMetrics = {
  /** An observer of the stream of records: durations are recorded one by one. */
  observe(kind: ActivityKind, read: () => ActivityRecord): void;
  end(): void;
};

/** `readMetrics` is called at each export. */
export async function exportMetrics(
  meter: Meter,
  readMetrics: () => Promise<readonly Metric[]>,
): Promise<ExportedMetrics> {
  const instruments = new Map<string, Observable>();
  const histograms = new Map<string, Histogram>();
  for (const metric of await readMetrics()) {
    const { name, type } = metric;
    const { shortName, options } = instrumentOf(metric);
    if (type === 'gauge') instruments.set(name, meter.createObservableGauge(shortName, options));
    if (type === 'counter') instruments.set(name, meter.createObservableCounter(shortName, options));
    if (type !== 'histogram') continue;
    const explicitBucketBoundaries = BOUNDS_MS.map((bound) => bound / MILLISECONDS);
    histograms.set(
      name,
      meter.createHistogram(shortName, { ...options, advice: { explicitBucketBoundaries } }),
    );
  }
  const observables = [...instruments.values()];
  const callback: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    for (const { name, samples } of await readMetrics()) {
      const instrument = instruments.get(name);
      if (instrument === undefined) continue;
      for (const [labels, value] of samples) result.observe(instrument, value, attributesOf(labels));
    }
  };
  meter.addBatchObservableCallback(callback, observables);
  return {
    observe: (kind, read) => {
      const end = ENDS[kind];
      if (end === undefined && kind !== 'http-request') return;
      const record = read();
      if (record.kind === 'http-request') {
        histograms.get('servicebus_http_request_duration_seconds')?.record(record.durationMs / MILLISECONDS);
      } else if ('heldMs' in record) {
        histograms.get('servicebus_message_held_seconds')?.record(record.heldMs / MILLISECONDS, { end });
      }
    },
    end: () => meter.removeBatchObservableCallback(callback, observables),
  };
}

function instrumentOf({ name, help }: Metric) {
  const base = name.replace(/_total$/, '');
  const [ending, unit] = ENDINGS.find(([each]) => base.endsWith(each)) ?? ['', undefined];
  const options = { description: help, ...(unit === undefined ? {} : { unit }) };
  return { shortName: base.slice(0, base.length - ending.length), options };
}

function attributesOf({ entity, disposition, ...others }: Sample[0]): Attributes {
  return {
    ...(entity === undefined ? {} : entityAttributes(entity)),
    ...(disposition === undefined ? {} : { [ATTRIBUTE.disposition]: disposition }),
    ...others,
  };
}
