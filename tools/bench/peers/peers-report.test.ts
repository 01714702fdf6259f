// The tables of Jitney beside RabbitMQ: whose figure stands where, and which ratio is judged.

import { expect, test } from 'vitest';
import type { PeerFigures, PeerMeasurement } from './peer-rounds.js';
import { PEER_NAMES, type PeerName } from './peers.js';
import { formatPeers } from './peers-report.js';
import { BODY_SIZES, PLAIN_RUN_ORDER } from './plain-scenarios.js';

const MEGABYTE = 1024 * 1024;

/** The rate of each broker in 1 KB, and a hundredth of it in other sizes. */
type Rates = Readonly<Record<PeerName, number>>;

const RATES: Rates = { rabbitmq: 10_000, jitney: 20_000, fsync: 15_000, transient: 30_000, memory: 45_000 };

function roundOf(rates: Rates): PeerMeasurement[] {
  return PEER_NAMES.flatMap((peer) =>
    BODY_SIZES.flatMap(({ bodyBytes }) =>
      PLAIN_RUN_ORDER.map((scenario) => ({
        ...{ peer, scenario, bodyBytes },
        messagesPerSecond: bodyBytes === 1024 ? rates[peer] : rates[peer] / 100,
      })),
    ),
  );
}

function figures(rounds: readonly Rates[]): PeerFigures {
  const after = (megabytes: number, diskBytes: number) => ({
    residentBytes: megabytes * MEGABYTE,
    diskBytes,
  });
  return {
    rounds: rounds.map(roundOf),
    starts: [{ rabbitmq: 5000, jitney: 200, fsync: 210, transient: 5100, memory: 170 }],
    idleBytes: { rabbitmq: 140, jitney: 70, fsync: 70, transient: 140, memory: 35 },
    afterwards: {
      rabbitmq: after(200, 10 * MEGABYTE),
      jitney: after(300, 5 * MEGABYTE),
      fsync: after(250, 10 * MEGABYTE),
      transient: after(100, MEGABYTE / 2),
      memory: after(150, 0),
    },
    rabbitmqVersion: '3.10.8',
  };
}

/** The cells of the lines that begin with `title`: one in each table. */
function linesOf(title: string, rounds: readonly Rates[] = [RATES]): (string[] | undefined)[] {
  return formatPeers(figures(rounds))
    .split('\n\n')
    .map((table) => {
      const lines = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
      return lines.find((cells) => cells[1] === title)?.slice(2, -1);
    });
}

test('Jitney on disk stands beside durable messages of RabbitMQ, and in memory beside transient ones', () => {
  expect(linesOf('pipelined sends, 1 KB')).toEqual([
    ['10,000/s', '20,000/s', '2.00', '≥ 2', 'ok', '15,000/s', '1.50'],
    ['30,000/s', '45,000/s', '1.50'],
  ]);
  expect(linesOf('process start to listening')).toEqual([
    ['5,000 ms', '200 ms', '0.04', '', '', '210 ms', '0.04'],
    ['5,100 ms', '170 ms', '0.03'],
  ]);
  expect(linesOf('disk, 3 s after the rounds')).toEqual([
    ['10 MB', '5 MB', '0.50', '', '', '10 MB', '1.00'],
    ['0.5 MB', 'none', '0.00'],
  ]);
});

test('a ratio below its target says so, and a scenario without a target is not judged', () => {
  const slower = [{ ...RATES, jitney: 11_900 }];
  expect(linesOf('receive, 1 KB', slower)[0]?.slice(1, 5)).toEqual(['11,900/s', '1.19', '≥ 2', 'below']);
  expect(linesOf('receive, 64 KB', slower)[0]?.slice(1, 5)).toEqual(['119/s', '1.19', '≥ 1.2', 'below']);
  expect(linesOf('receive, 100 B', slower)[0]?.slice(1, 5)).toEqual(['119/s', '1.19', '', '']);
  expect(linesOf('awaited sends, 1 KB', slower)[0]?.slice(1, 5)).toEqual(['11,900/s', '1.19', '', '']);
});

test('a ratio is the median of the ratios of each round, and not the ratio of the medians', () => {
  const rounds = [
    { ...RATES, rabbitmq: 1000, jitney: 5000 },
    { ...RATES, rabbitmq: 2000, jitney: 4000 },
    { ...RATES, rabbitmq: 3000, jitney: 9000 },
  ];
  expect(linesOf('receive, 1 KB', rounds)[0]?.slice(0, 3)).toEqual(['2,000/s', '5,000/s', '3.00']);
});
