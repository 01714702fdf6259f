// The variables of OpenTelemetry that say whether anything is sent. Apart from the rest, which is not even loaded without them.

import type { Environment } from '../../config/environment.js';

export const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
export const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
export const METRICS_ENDPOINT = 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT';

/** The variable that names a collector. Undefined: there is none, or OpenTelemetry is switched off, and nothing of it is loaded. */
export function collectorVariable(environment: Environment): string | undefined {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  return [ENDPOINT, TRACES_ENDPOINT, METRICS_ENDPOINT].find((name) => isGiven(name, environment));
}

/** An empty variable counts as missing. */
export function isGiven(name: string, environment: Environment): boolean {
  return (environment[name] ?? '') !== '';
}
