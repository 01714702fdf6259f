// The rows of the report: what was seen, and which limits of the promise it breaks.

import type { Waits } from './waits.js';

/** The two columns of the promise (docs/limits.md). */
export const LIMITS = {
  comfortable: { turnMs: 50, p99Ms: 250 },
  works: { turnMs: 500, p99Ms: 2000 },
} as const;
export type Column = keyof typeof LIMITS;

/** Alive beyond what is stored, while the client holds all that it can. */
const MAX_HELD_MB = 300;
/** Alive beyond what is stored when the client has gone: contents of messages (32 MiB), the last 10,000 events and code. */
const MAX_LEFT_MB = 80;
/** What a stored message or copy may take in memory. */
const COPY_BYTES = 600;
const MB = 1_000_000;

/** What is alive in the emulator at a moment, and how many messages are stored in it. */
export type Holding = { readonly aliveMb: number; readonly messageCount: number };

export type Row = {
  readonly attack: string;
  readonly column: Column;
  /** The longest turn in the emulator's own processor time. */
  readonly turnMs: number;
  readonly waits: Waits;
  /** The part of the attack in which the emulator had work and no processor, because others used the machine: no wait of its making. */
  readonly delayedPart: number;
  readonly before: Holding;
  readonly held: Holding;
  readonly after: Holding;
  /** The attacker's own words. */
  readonly told: string;
  /** What the attacker found wrong itself. */
  readonly problems: readonly string[];
};

/** The limits that the row breaks, as sentences with what was seen and the limit. */
export function problemsOf(row: Row): readonly string[] {
  const { turnMs, p99Ms } = LIMITS[row.column];
  const { waits, before, held, after } = row;
  return [
    ...row.problems,
    ...waits.failures.map((text) => `others were told: ${text}`),
    ...above('the longest turn took', row.turnMs, turnMs, 'ms'),
    ...above('others waited p99', waits.p99Ms * (1 - row.delayedPart), p99Ms, 'ms'),
    ...above('beyond what is stored it held', beyondStoredMb(before, held), MAX_HELD_MB, 'MB'),
    ...leftBehind(before, after),
  ];
}

/** What is not given back when the client has gone. */
export function leftBehind(before: Holding, after: Holding): readonly string[] {
  return above('when the client had gone there were left', beyondStoredMb(before, after), MAX_LEFT_MB, 'MB');
}

function beyondStoredMb(before: Holding, then: Holding): number {
  const copies = Math.max(0, then.messageCount - before.messageCount);
  return then.aliveMb - before.aliveMb - (copies * COPY_BYTES) / MB;
}

function above(what: string, seen: number, limit: number, unit: string): readonly string[] {
  return seen <= limit ? [] : [`${what} ${seen.toFixed(0)} ${unit}; ${limit} ${unit} is the limit`];
}

export function reportOf(row: Row): string {
  const { attack, turnMs, waits, before, held, after, told } = row;
  return [
    `${titleOf(attack)} turn ${turnMs.toFixed(0)} ms`,
    `others p99 ${waits.p99Ms.toFixed(0)}, longest ${waits.longestMs.toFixed(0)} ms of ${waits.count}${busy(row)}`,
    `alive ${[before, held, after].map(({ aliveMb }) => aliveMb.toFixed(0)).join(', ')} MB${stored(before, held)}`,
    told,
    verdictOf(problemsOf(row)),
  ].join(' · ');
}

export const titleOf = (attack: string): string => attack.padEnd(22);

export function verdictOf(problems: readonly string[]): string {
  return problems.length === 0 ? 'ok' : `NOT GOOD: ${problems.join('; ')}`;
}

function busy({ delayedPart }: Row): string {
  return delayedPart < 0.05 ? '' : `, the machine busy for ${(100 * delayedPart).toFixed(0)} % of it`;
}

function stored(before: Holding, held: Holding): string {
  const copies = held.messageCount - before.messageCount;
  if (copies < 1000) return '';
  const each = ((held.aliveMb - before.aliveMb) * MB) / copies;
  return `, ${copies} messages stored, ${each.toFixed(0)} bytes each`;
}
