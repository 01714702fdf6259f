// Connects an emulator with the OpenTelemetry SDK that its process has registered: spans of messages, and the metrics.

import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import type { Metric } from '../http/control/metric.js';
import { readMessages } from '../inspect/read-messages.js';
import { JitneyError } from '../jitney-error.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import { exportMetrics } from './exported-metrics.js';
import { MessageSpans, type OpenTelemetryApi, type ReadStoredBytes } from './message-spans.js';
import { loadOptional } from './optional-package.js';

const API = '@opentelemetry/api';
const SCOPE = 'jitney';
const LAST_EXPORT_MS = 1000;

type Observed = {
  readonly engine: Pick<Engine, 'submit' | 'readMessage'>;
  readonly activity: ActivityStream;
  /** Undefined: only spans. The metrics of all namespaces are read in one. */
  readonly readMetrics?: () => Promise<readonly Metric[]>;
  readonly version: string;
};

/** A provider of the SDK; that of the package alone has no such function. */
type SdkMeterProvider = { readonly forceFlush?: () => Promise<void> };

/** Begins with the next record, and ends when the returned function is called. Throws a JitneyError without OpenTelemetry's package. */
export async function observeWithOpenTelemetry({
  engine,
  activity,
  readMetrics,
  version,
}: Observed): Promise<() => Promise<void>> {
  const api = loadOptional(API) as OpenTelemetryApi | undefined;
  if (api === undefined) {
    const text = `telemetry needs the package ${API}, which is not installed: npm install ${API}`;
    throw new JitneyError('bad-option', text);
  }
  activity.turnOn(); // otherwise the first look at the metrics would find no counters
  const spans = new MessageSpans(api, api.trace.getTracer(SCOPE, version), {
    readStoredBytes: storedBytesReader(engine),
  });
  const endSpans = activity.observe((...record) => spans.observe(...record));
  if (readMetrics === undefined) return async () => endSpans();
  const metrics = await exportMetrics(api.metrics.getMeter(SCOPE, version), readMetrics);
  const endMetrics = activity.observe((kind, read) => metrics.observe(kind, read));
  return async () => {
    endSpans();
    endMetrics();
    await sendLast(api.metrics.getMeterProvider() as SdkMeterProvider);
    metrics.end();
  };
}

function storedBytesReader(engine: Observed['engine']): ReadStoredBytes {
  return async (entityPath, fromSequenceNumber) => {
    await undefined; // not within the turn that is told of
    const command = { kind: 'inspect-messages', entityPath, fromSequenceNumber, maxCount: 1 } as const;
    const [first] = (await readMessages(engine, command)).found;
    return first?.message.properties.sequenceNumber === fromSequenceNumber ? first.content : undefined;
  };
}

/** Has the SDK send the last values of the metrics, which it could not read later. Waits only so long for a collector. */
async function sendLast(provider: SdkMeterProvider): Promise<void> {
  const over = new AbortController();
  const timeout = pause(LAST_EXPORT_MS, undefined, { signal: over.signal, ref: false });
  await Promise.race([provider.forceFlush?.(), timeout]).catch(() => {});
  over.abort();
  await timeout.catch(() => {});
}
