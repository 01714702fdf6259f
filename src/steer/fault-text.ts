// Faults as text: reads a fault from a line of words, and describes for people what a fault does.

import { parseSpan } from '../description/duration.js';
import { FAULT_OPERATIONS, type FaultEffect } from './fault.js';

/** Words that set a field to `true`, in lower case without hyphens. */
const FLAGS: Readonly<Record<string, string>> = {
  detach: 'detach',
  close: 'close',
  reset: 'reset',
  silence: 'silence',
  loseanswer: 'loseAnswer',
  delivertwice: 'deliverTwice',
  endlock: 'endLock',
};
const NUMBERS: ReadonlySet<string> = new Set(['status', 'nth', 'times', 'probability', 'seed', 'above']);
const SPANS: ReadonlySet<string> = new Set(['delay', 'jitter', 'for']);

/**
 * Reads `server-busy`, `complete lose-answer times=2` or `delay=0.5`: an operation, its effect, and fields with values, in which times
 * are durations or numbers of seconds. Without an operation, it is `send`. The result is unchecked.
 */
export function parseFaultText(text: string): Record<string, unknown> {
  const fault: Record<string, unknown> = {};
  const operations: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const [, name, value] = /^([a-z]+)=(.*)$/i.exec(word) ?? [];
    const flag = FLAGS[word.replaceAll('-', '').toLowerCase()];
    if (name === 'on' && value !== undefined) operations.push(...value.split(','));
    else if (name !== undefined && value !== undefined) fault[name] = fieldValue(name, value);
    else if (FAULT_OPERATIONS.some((each) => each === word) || word === 'any') operations.push(word);
    else if (flag === undefined) fault.error = word;
    else fault[flag] = true;
  }
  return { on: onOf(operations), ...fault };
}

function onOf(operations: readonly string[]): string | readonly string[] {
  const [only = 'send', ...others] = operations;
  return others.length === 0 ? only : operations;
}

function fieldValue(name: string, value: string): unknown {
  // A word that is not a number is kept, and the check refuses it.
  if (NUMBERS.has(name)) return Number.isNaN(Number(value)) ? value : Number(value);
  if (!SPANS.has(name)) return value;
  try {
    return parseSpan(value);
  } catch {
    return value;
  }
}

/** Describes what a fault does, for people: `error com.microsoft:server-busy after 200 ms`. */
export function describeEffect(effect: FaultEffect, delayMs: number): string {
  const what =
    'condition' in effect ? ` ${effect.condition}` : effect.kind === 'status' ? ` ${effect.status}` : '';
  if (effect.kind === 'delay') return `delay ${delayMs} ms`;
  return `${effect.kind}${what}${delayMs === 0 ? '' : ` after ${delayMs} ms`}`;
}
