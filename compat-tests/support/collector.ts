// A collector of OpenTelemetry: takes spans and metrics over OTLP in JSON, and keeps them.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };
type Resource = { readonly attributes: readonly Attribute[] };

export type CollectedSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
  /** The name of the service that sent it. */
  readonly service: string;
};

export type CollectedMetric = {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly dataPoints: readonly DataPoint[] };
  readonly gauge?: { readonly dataPoints: readonly DataPoint[] };
  readonly histogram?: { readonly dataPoints: readonly DataPoint[] };
};

type DataPoint = {
  readonly attributes: readonly Attribute[];
  readonly asDouble?: number;
  readonly asInt?: number;
  readonly count?: number;
};

type Export = {
  readonly resourceSpans?: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'service'>[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly CollectedMetric[] }[];
  }[];
};

export class Collector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = [];
  /** The last values. */
  readonly metrics = new Map<string, CollectedMetric>();
  readonly #server = createServer(async (request, response) => {
    this.#take(JSON.parse(await text(request)));
    response.setHeader('content-type', 'application/json').end('{}');
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** The variables with which a program sends here. */
  variables(service?: string): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...(service === undefined ? {} : { OTEL_SERVICE_NAME: service }),
    };
  }

  #take({ resourceSpans = [], resourceMetrics = [] }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(attributeOf(resource.attributes, 'service.name'));
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, service })));
    }
    for (const { scopeMetrics } of resourceMetrics)
      for (const { metrics } of scopeMetrics)
        for (const metric of metrics) this.metrics.set(metric.name, metric);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function attributeOf(attributes: readonly Attribute[], name: string): unknown {
  const [value] = Object.values(attributes.find(({ key }) => key === name)?.value ?? {});
  return value;
}
