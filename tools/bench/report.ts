// Figures as Markdown tables: what each broker reaches, beside the one it is compared with.

import type { BrokerName } from './brokers.js';
import type { Figures, Holding, Measurement } from './rounds.js';
import type { Scenario } from './scenarios.js';

export type Column = {
  readonly title: string;
  readonly broker: BrokerName;
  /** Whether its ratios are judged: by the target of the scenario, or by this one. */
  readonly isJudged?: boolean | number;
};

/** One line: the figure of a broker in each round, or only once. */
type Line = {
  readonly title: string;
  readonly target?: number | undefined;
  readonly format: (figure: number) => string;
  readonly of: (broker: BrokerName) => readonly number[];
};

const MEGABYTE = 1024 * 1024;

/** "ratio" is the median of each round's ratio, for both sides of each were measured seconds apart. */
export function compare(figures: Figures, title: string, base: Column, others: readonly Column[]): string {
  const header = others.flatMap((column) => [
    column.title,
    'ratio',
    ...(column.isJudged ? ['target', ''] : []),
  ]);
  return formatTable(
    [title, base.title, ...header],
    linesOf(figures).map((line) => [
      line.title,
      line.format(median(line.of(base.broker))),
      ...others.flatMap((column) => {
        const bases = line.of(base.broker);
        const ratio = median(
          line.of(column.broker).map((each, round) => each / (bases[round] ?? Number.NaN)),
        );
        return [
          line.format(median(line.of(column.broker))),
          Number.isFinite(ratio) ? ratio.toFixed(2) : '-',
          ...judge(column, line, ratio),
        ];
      }),
    ]),
  );
}

function judge({ isJudged }: Column, { target }: Line, ratio: number): string[] {
  if (isJudged === undefined || isJudged === false) return [];
  if (target === undefined) return ['', ''];
  const least = isJudged === true ? target : isJudged;
  return [`≥ ${least}`, ratio >= least ? 'ok' : 'below'];
}

function linesOf({ rounds, holdings }: Figures): Line[] {
  const [first = []] = rounds;
  const scenarios = [...new Set(first.map(({ scenario }) => scenario))];
  const inRounds = (scenario: Scenario, figure: keyof Measurement) => (broker: BrokerName) =>
    rounds.map((round) => {
      const found = round.find((each) => each.broker === broker && each.scenario === scenario);
      return Number(found?.[figure]);
    });
  const held = (figure: keyof Holding) => (broker: BrokerName) =>
    [holdings.get(broker)?.[figure] ?? []].flat();
  return [
    ...scenarios.map((scenario) => ({
      title: scenario.title,
      target: scenario.target,
      format: (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`,
      of: inRounds(scenario, 'messagesPerSecond'),
    })),
    ...scenarios.map((scenario) => ({
      title: `processor, ${scenario.title}`,
      format: (microseconds: number) => `${microseconds.toFixed(1)} µs`,
      of: inRounds(scenario, 'microsecondsPerMessage'),
    })),
    {
      title: 'process start to listening',
      format: (ms) => `${Math.round(ms).toLocaleString('en')} ms`,
      of: held('startMs'),
    },
    { title: 'resident memory, idle for 3 s', format: megabytes, of: held('idleBytes') },
    { title: 'resident memory, 3 s after the rounds', format: megabytes, of: held('residentBytes') },
    { title: 'disk, 3 s after the rounds', format: megabytes, of: held('diskBytes') },
  ];
}

export function megabytes(bytes: number): string {
  if (bytes === 0) return 'none';
  return `${(bytes / MEGABYTE).toFixed(bytes < MEGABYTE ? 1 : 0)} MB`;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('there is no median of nothing');
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The first column is text and stands left, the others right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (text: string, column: number) => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`,
  );
  return [line(header), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}
