// Jitney beside RabbitMQ as tables: one for messages that are kept on disk, one for messages in memory.

import { median } from '../statistics.js';
import { formatTable } from '../table.js';
import type { PeerFigures, PeerMeasurement } from './peer-rounds.js';
import type { PeerName } from './peers.js';
import { BODY_SIZES, PLAIN_RUN_ORDER, PLAIN_TITLES, WINDOW } from './plain-scenarios.js';

const MEGABYTE = 1024 * 1024;
/** By the size of a body: the least ratio of every scenario that does not wait for each message. */
const TARGETS: ReadonlyMap<number, number> = new Map([
  [1024, 2],
  [64 * 1024, 1.2],
]);

/** One line of a table: the figure of each broker in each round, or only once. */
type Line = {
  readonly title: string;
  /** The least ratio of Jitney on disk to RabbitMQ; the other figures have no target. */
  readonly target?: number | undefined;
  readonly format: (figure: number) => string;
  readonly of: (peer: PeerName) => readonly number[];
};

type Column = { readonly title: string; readonly peer: PeerName };

export function formatPeers(figures: PeerFigures): string {
  const lines = linesOf(figures);
  const onDisk = compare(lines, 'on disk', { title: 'RabbitMQ', peer: 'rabbitmq' }, [
    { title: 'Jitney', peer: 'jitney' },
    { title: 'Jitney, fsync', peer: 'fsync' },
  ]);
  const inMemory = compare(lines, 'in memory', { title: 'RabbitMQ, transient', peer: 'transient' }, [
    { title: 'Jitney, --memory', peer: 'memory' },
  ]);
  return `${onDisk}\n\n${inMemory}`;
}

/** What a reader has to know of the tables. */
export function describePeers({ rabbitmqVersion, rounds, starts }: PeerFigures): string {
  return `RabbitMQ ${rabbitmqVersion ?? '(unknown version)'} with its AMQP 1.0 plugin, a durable classic queue.
One rhea process is the client of all. It keeps ${WINDOW} messages unanswered, or one (awaited sends), and gives a receiver
credit for ${WINDOW}. Where this client is the limit, a ratio is too near to 1.
RabbitMQ accepts a durable message after fsync, as Jitney does with --durability fsync ("fsync"). By default Jitney accepts
it when the bytes are with the operating system.
Figures are medians (rounds: ${rounds.length}, starts: ${starts.length}). "ratio" is the median of each round's Jitney / RabbitMQ: more is better
for rates, less for time, memory and disk.`;
}

function compare(lines: readonly Line[], title: string, base: Column, others: readonly Column[]): string {
  return formatTable(
    [
      title,
      base.title,
      ...others.flatMap((column) => [column.title, 'ratio', ...(hasTargets(column) ? ['target', ''] : [])]),
    ],
    lines.map((line) => [
      line.title,
      middle(line, base.peer),
      ...others.flatMap((column) => {
        const ratio = middleRatio(line, column.peer, base.peer);
        return [
          middle(line, column.peer),
          ratio.toFixed(2),
          ...(hasTargets(column) ? judge(line, ratio) : []),
        ];
      }),
    ]),
  );
}

function linesOf({ rounds, starts, idleBytes, afterwards }: PeerFigures): Line[] {
  const megabytes = (bytes: number) =>
    bytes === 0 ? 'none' : `${(bytes / MEGABYTE).toFixed(bytes < MEGABYTE ? 1 : 0)} MB`;
  return [
    ...rateLines(rounds),
    {
      title: 'process start to listening',
      format: (ms) => `${Math.round(ms).toLocaleString('en')} ms`,
      of: (peer) => starts.map((start) => start[peer]),
    },
    { title: 'resident memory, idle for 3 s', format: megabytes, of: (peer) => [idleBytes[peer]] },
    {
      title: 'resident memory, 3 s after the rounds',
      format: megabytes,
      of: (peer) => [afterwards[peer].residentBytes],
    },
    { title: 'disk, 3 s after the rounds', format: megabytes, of: (peer) => [afterwards[peer].diskBytes] },
  ];
}

function rateLines(rounds: readonly (readonly PeerMeasurement[])[]): Line[] {
  return BODY_SIZES.flatMap(({ title, bodyBytes }) =>
    PLAIN_RUN_ORDER.map((scenario): Line => {
      const isThis = (each: PeerMeasurement) => each.scenario === scenario && each.bodyBytes === bodyBytes;
      return {
        title: `${PLAIN_TITLES[scenario]}, ${title}`,
        target: scenario === 'awaited' ? undefined : TARGETS.get(bodyBytes),
        format: (rate) => `${Math.round(rate).toLocaleString('en')}/s`,
        of: (peer) =>
          rounds.map((round) => {
            const found = round.find((each) => each.peer === peer && isThis(each));
            return found?.messagesPerSecond ?? Number.NaN;
          }),
      };
    }),
  );
}

function hasTargets({ peer }: Column): boolean {
  return peer === 'jitney';
}

function judge({ target }: Line, ratio: number): string[] {
  return target === undefined ? ['', ''] : [`≥ ${target}`, ratio >= target ? 'ok' : 'below'];
}

function middle({ of, format }: Line, peer: PeerName): string {
  return format(median(of(peer)));
}

/** The middle of the ratios of each round: both sides of each were measured seconds apart. */
function middleRatio({ of }: Line, peer: PeerName, base: PeerName): number {
  const bases = of(base);
  return median(of(peer).map((figure, index) => figure / (bases[index] ?? Number.NaN)));
}
