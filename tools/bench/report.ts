// The rounds as tables: what each scenario reaches of the null broker's rate, what it costs, and how that compares with the targets.

import type { BrokerName } from './brokers.js';
import type { Measurement, Round } from './rounds.js';
import { SCENARIOS, type ScenarioName } from './scenarios.js';
import type { StartUp } from './start-up.js';
import { median } from './statistics.js';
import { formatTable } from './table.js';

/** The least share of the null broker's rate. */
const LEAST_RATIO = 0.6;
/** The most the null broker may use of stock rhea's CPU; above it, it is no measure. */
const MOST_OF_RHEA = 0.6;
const MOST_START_MS = 200;
const MOST_IDLE_MB = 90;
const MEGABYTE = 1024 * 1024;

const SHOWN: readonly ScenarioName[] = ['awaited', 'parallel', 'arrays', 'complete', 'delete'];

type Figure = keyof Pick<Measurement, 'messagesPerSecond' | 'cpuMicrosecondsPerMessage'>;

export type Memory = { readonly idleBytes: number; readonly afterRoundsBytes: number };

/** One line about a round, for whoever waits. */
export function summarizeRound(round: Round): string {
  return SHOWN.map((scenario) => {
    const ratio = ratioIn(round, 'jitney', scenario);
    return `${SCENARIOS[scenario].title} ${ratio === undefined ? '-' : ratio.toFixed(2)}`;
  }).join(' · ');
}

export function formatScenarios(rounds: readonly Round[]): string {
  const header = [
    'messages/s and CPU µs a message',
    'N',
    'Jitney',
    'of N',
    `target ≥ ${LEAST_RATIO}`,
    'fsync',
    'of N',
    'N µs',
    'Jitney µs',
    'fsync µs',
  ];
  return formatTable(
    header,
    SHOWN.map((scenario) => {
      const rate = (broker: BrokerName) => formatRate(middle(rounds, broker, scenario, 'messagesPerSecond'));
      const cpu = (broker: BrokerName) =>
        formatNumber(middle(rounds, broker, scenario, 'cpuMicrosecondsPerMessage'), 1);
      const ratio = middleRatio(rounds, 'jitney', scenario);
      return [
        SCENARIOS[scenario].title,
        rate('null'),
        rate('jitney'),
        formatNumber(ratio, 2),
        ratio !== undefined && ratio >= LEAST_RATIO ? 'ok' : 'below',
        rate('fsync'),
        formatNumber(middleRatio(rounds, 'fsync', scenario), 2),
        cpu('null'),
        cpu('jitney'),
        cpu('fsync'),
      ];
    }),
  );
}

export function formatStartUp(startUp: StartUp, memory: Memory): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(0)} MB`;
  const atMost = (value: number, most: number, unit: string) => [
    `≤ ${most} ${unit}`,
    value <= most ? 'ok' : 'above',
  ];
  return formatTable(
    ['start and memory', 'measured', 'target', ''],
    [
      [
        'process start to listening, in memory',
        ms(startUp.memoryStoreMs),
        ...atMost(startUp.memoryStoreMs, MOST_START_MS, 'ms'),
      ],
      [
        'process start to listening, empty directory',
        ms(startUp.emptyDirectoryMs),
        ...atMost(startUp.emptyDirectoryMs, MOST_START_MS, 'ms'),
      ],
      ['for comparison: Node with one bare socket', ms(startUp.bareMs), '', ''],
      [
        'resident memory, idle for 3 s',
        megabytes(memory.idleBytes),
        ...atMost(memory.idleBytes / MEGABYTE, MOST_IDLE_MB, 'MB'),
      ],
      ['resident memory after the rounds above', megabytes(memory.afterRoundsBytes), '', ''],
    ],
  );
}

/** Whether N is a fair measure: it does what a broker must and still costs far less than a queue on stock rhea. */
export function formatHonesty(rounds: readonly Round[]): string {
  const throughQueue = (broker: BrokerName) =>
    median(
      rounds.map((round) => {
        const send = find(round, broker, 'parallel')?.cpuMicrosecondsPerMessage ?? Number.NaN;
        return send + (find(round, broker, 'complete')?.cpuMicrosecondsPerMessage ?? Number.NaN);
      }),
    );
  const own = throughQueue('null');
  const stock = throughQueue('rhea');
  const share = own / stock;
  const figures =
    `a message sent, received and completed costs N ${own.toFixed(1)} µs of CPU and a stock rhea server ` +
    `${stock.toFixed(1)} µs: ${share.toFixed(2)} (at most ${MOST_OF_RHEA})`;
  return share <= MOST_OF_RHEA
    ? `N is honest: ${figures}.`
    : `N IS NOT HONEST, the ratios to it prove nothing: ${figures}.`;
}

function middle(
  rounds: readonly Round[],
  broker: BrokerName,
  scenario: ScenarioName,
  figure: Figure,
): number | undefined {
  const values = rounds.flatMap((round) => find(round, broker, scenario)?.[figure] ?? []);
  return values.length === 0 ? undefined : median(values);
}

/** The middle of the ratios of each round: both sides of each were measured seconds apart. */
function middleRatio(
  rounds: readonly Round[],
  broker: BrokerName,
  scenario: ScenarioName,
): number | undefined {
  const ratios = rounds.flatMap((round) => ratioIn(round, broker, scenario) ?? []);
  return ratios.length === 0 ? undefined : median(ratios);
}

function ratioIn(round: Round, broker: BrokerName, scenario: ScenarioName): number | undefined {
  const own = find(round, broker, scenario);
  const nothing = find(round, 'null', scenario);
  return own && nothing && own.messagesPerSecond / nothing.messagesPerSecond;
}

function find(round: Round, broker: BrokerName, scenario: ScenarioName): Measurement | undefined {
  return round.find((each) => each.broker === broker && each.scenario === scenario);
}

function formatRate(rate: number | undefined): string {
  return rate === undefined ? '-' : Math.round(rate).toLocaleString('en');
}

function formatNumber(value: number | undefined, digits: number): string {
  return value === undefined ? '-' : value.toFixed(digits);
}
