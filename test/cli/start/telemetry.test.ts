// When `jitney start` sends traces and metrics, what it says if it cannot, and how it configures OpenTelemetry's SDK.

import { describe, expect, it, test } from 'vitest';
import { startTelemetry } from '../../../src/cli/start/telemetry.js';
import { collectorVariable } from '../../../src/cli/start/telemetry-variables.js';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const URL = 'http://localhost:4318';

/** OpenTelemetry's packages as far as they are used, and what was done with them. */
function started(environment: Readonly<Record<string, string>>, installed = true) {
  const lines: string[] = [];
  const configurations: object[] = [];
  let report: (text: string) => void = () => {};
  const packages: Readonly<Record<string, unknown>> = {
    '@opentelemetry/sdk-node': {
      NodeSDK: class {
        constructor(configuration: object) {
          configurations.push(configuration);
        }
        start() {}
        async shutdown() {
          throw new Error('the collector does not answer');
        }
      },
    },
    '@opentelemetry/api': {
      diag: {
        setLogger: (logger: { readonly error: (text: string) => void }) => {
          report = logger.error;
        },
      },
      DiagLogLevel: { WARN: 50 },
    },
  };
  const add = (text: string) => lines.push(text);
  const load = (name: string) => (installed ? packages[name] : undefined);
  const telemetry = startTelemetry(ENDPOINT, environment, { info: add, warn: add }, load);
  return { telemetry, lines, configurations, report: (text: string) => report(text) };
}

test.each([
  [{}, undefined],
  [{ [ENDPOINT]: '' }, undefined],
  [{ [ENDPOINT]: URL }, ENDPOINT],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: URL }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  [{ [ENDPOINT]: URL, OTEL_SDK_DISABLED: 'true' }, undefined],
])('with %j the collector is named by %s', (environment, expected) => {
  expect(collectorVariable(environment)).toBe(expected);
});

it('says in one warning what to install', () => {
  const { telemetry, lines } = started({ [ENDPOINT]: URL }, false);
  expect(telemetry).toBeUndefined();
  expect(lines).toEqual([
    `${ENDPOINT} is set, but no traces and metrics are sent: @opentelemetry/sdk-node is not installed. ` +
      'To send them: npm install @opentelemetry/sdk-node @opentelemetry/api',
  ]);
});

describe('the SDK', () => {
  it('gets the name jitney, unless a variable has another', () => {
    const named = (more: Readonly<Record<string, string>>) =>
      started({ [ENDPOINT]: URL, ...more }).configurations[0];
    expect(named({})).toMatchObject({ serviceName: 'jitney' });
    expect(named({ OTEL_SERVICE_NAME: 'bus' })).not.toHaveProperty('serviceName');
    expect(named({ OTEL_RESOURCE_ATTRIBUTES: 'a=b,service.name=bus' })).not.toHaveProperty('serviceName');
  });

  it('sends only what a variable names a collector for', () => {
    expect(started({ [ENDPOINT]: URL }).configurations[0]).not.toHaveProperty('metricReaders');
    const [traces] = started({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: URL }).configurations;
    expect(traces).toMatchObject({ metricReaders: [] });
    expect(traces).not.toHaveProperty('spanProcessors');
  });

  it('reports a collector that does not answer once a minute, and its end never fails', async () => {
    const { telemetry, lines, report } = started({ [ENDPOINT]: URL });
    report(
      JSON.stringify({
        stack: 'Error',
        message: 'connect ECONNREFUSED 127.0.0.1:4318',
        code: 'ECONNREFUSED',
      }),
    );
    report('again');
    expect(lines).toEqual([
      `Traces and metrics go to ${URL}`,
      `OpenTelemetry cannot send to the collector that ${ENDPOINT} names: connect ECONNREFUSED 127.0.0.1:4318`,
    ]);
    await telemetry?.end();
  });
});
