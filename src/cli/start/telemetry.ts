// OpenTelemetry's SDK in the process of `jitney start`, when a variable names a collector. The SDK reads its variables itself.

import type { NodeSDK, NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import type { Environment } from '../../config/environment.js';
import { loadOptional } from '../../traces/optional-package.js';
import type { Log } from '../output/output.js';
import { ENDPOINT, isGiven, METRICS_ENDPOINT, TRACES_ENDPOINT } from './telemetry-variables.js';

const SDK = '@opentelemetry/sdk-node';
const API = '@opentelemetry/api';

/** A collector that does not answer is reported again only after this time. */
const QUIET_MS = 60_000;
/** A stop waits only so long for a collector that does not answer. */
const LAST_EXPORT_MS = 1000;
const MAX_REASON = 200;

type SdkModule = { readonly NodeSDK: new (configuration: Partial<NodeSDKConfiguration>) => NodeSDK };
type ApiModule = Pick<typeof import('@opentelemetry/api'), 'diag' | 'DiagLogLevel'>;

export type Telemetry = {
  /** Sends what is left, and ends the SDK. Never rejects. */
  end(): Promise<void>;
};

/** Starts the SDK. Undefined, after a warning, if its packages are not installed. `variable` names the collector. */
export function startTelemetry(
  variable: string,
  environment: Environment,
  log: Pick<Log, 'info' | 'warn'>,
  load: (name: string) => unknown = loadOptional,
): Telemetry | undefined {
  const sdkModule = load(SDK) as SdkModule | undefined;
  const api = load(API) as ApiModule | undefined;
  if (sdkModule === undefined || api === undefined) {
    log.warn(
      `${variable} is set, but no traces and metrics are sent: ${SDK} is not installed. To send them: npm install ${SDK} ${API}`,
    );
    return undefined;
  }
  // OTEL_LOG_LEVEL has the SDK write its own log.
  if (environment.OTEL_LOG_LEVEL === undefined) reportProblems(api, variable, log);
  const sdk = new sdkModule.NodeSDK(configurationOf(environment));
  sdk.start();
  log.info(`Traces and metrics go to ${environment[variable]}`);
  return { end: () => Promise.race([sdk.shutdown().catch(() => {}), lastExportOver()]) };
}

/** Adds to the variables the default name, and that a signal without a collector is not sent. */
function configurationOf(environment: Environment): Partial<NodeSDKConfiguration> {
  const isNamed =
    isGiven('OTEL_SERVICE_NAME', environment) ||
    /(^|,)\s*service\.name=/.test(environment.OTEL_RESOURCE_ATTRIBUTES ?? '');
  const isSent = (endpoint: string) => isGiven(ENDPOINT, environment) || isGiven(endpoint, environment);
  return {
    ...(isNamed ? {} : { serviceName: 'jitney' }),
    ...(isSent(TRACES_ENDPOINT) ? {} : { spanProcessors: [] }),
    ...(isSent(METRICS_ENDPOINT) ? {} : { metricReaders: [] }),
    logRecordProcessors: [],
  };
}

function reportProblems({ diag, DiagLogLevel }: ApiModule, variable: string, log: Pick<Log, 'warn'>): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (text: string) => {
    const now = Date.now();
    if (now - reportedAt < QUIET_MS) return;
    reportedAt = now;
    log.warn(`OpenTelemetry cannot send to the collector that ${variable} names: ${reasonIn(text)}`);
  };
  const nothing = () => {};
  diag.setLogger(
    { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** The SDK reports an error as JSON. */
function reasonIn(text: string): string {
  return (messageIn(text) ?? text).split('\n', 1)[0]?.slice(0, MAX_REASON) ?? '';
}

function messageIn(text: string): string | undefined {
  try {
    const { message, code } = JSON.parse(text) as { message?: unknown; code?: unknown };
    return [message, code].find((part) => typeof part === 'string' && part !== '') as string | undefined;
  } catch {
    return undefined;
  }
}

function lastExportOver(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LAST_EXPORT_MS).unref();
  });
}
