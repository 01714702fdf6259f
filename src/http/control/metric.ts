// A metric with its samples, and the text format of Prometheus.

import { BOUNDS_MS, type DurationCounts } from '../../watch/duration-counts.js';

/** `suffix` follows the name of the metric: a histogram has three kinds of samples. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number, suffix?: string];

export type Metric = {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
};

export function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'gauge', help, samples };
}

/** `name` must end with `_total`. */
export function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'counter', help, samples };
}

const MILLISECONDS = 1000;
/** So many samples are written in one turn of the event loop. */
const PIECE_SAMPLES = 1000;

/** `name` must end with `_seconds`. */
export function histogram(
  name: string,
  help: string,
  series: readonly (readonly [labels: Sample[0], durations: DurationCounts])[],
): Metric {
  return { name, type: 'histogram', help, samples: series.flatMap(histogramSamples) };
}

/** Each bucket includes the counts of all lower ones. */
function histogramSamples([labels, { counts, sumMs }]: readonly [Sample[0], DurationCounts]): Sample[] {
  let below = 0;
  const buckets = counts.map((count, bucket): Sample => {
    below += count;
    const bound = BOUNDS_MS[bucket];
    const le = bound === undefined ? '+Inf' : String(bound / MILLISECONDS);
    return [{ ...labels, le }, below, '_bucket'];
  });
  return [...buckets, [labels, sumMs / MILLISECONDS, '_sum'], [labels, below, '_count']];
}

/** In pieces, because with many namespaces a metric has very many samples. */
export function* writeMetric({ name, type, help, samples }: Metric): Iterable<string> {
  yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (let start = 0; start < samples.length; start += PIECE_SAMPLES) {
    const lines = samples
      .slice(start, start + PIECE_SAMPLES)
      .map(([labels, value, suffix = '']) => `${name}${suffix}${writeLabels(labels)} ${value}\n`);
    yield lines.join('');
  }
}

function writeLabels(labels: Sample[0]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
