// `jitney clock`: shows and sets the time of the running emulator.

import { parseSpan } from '../../description/duration.js';
import type { AdvancedAnswer, ClockAnswer } from '../../http/control/control-schemas.js';
import { shortDuration } from '../../watch/record-kinds.js';
import type { CommandOutput } from '../output/command-context.js';
import { usageError } from '../output/error-report.js';
import { localTime } from '../output/local-time.js';
import { oneLine } from '../output/one-line.js';
import type { ControlClient } from './control-client.js';

export const CLOCK_CHANGES = ['advance', 'next', 'freeze', 'resume', 'scale', 'reset'] as const;

/** The words after `jitney clock`. */
export type GivenChange = { readonly change: string | undefined; readonly value: string | undefined };
/** A call of the control interface, and its body. */
type ClockChange = { readonly call: (typeof CLOCK_CHANGES)[number]; readonly body: object };

type Advanced = Omit<AdvancedAnswer, 'fired'> & { readonly fired: readonly Fired[] };
type Fired = { readonly kind: string; readonly path?: string };

/** Undefined if the time is only shown. Throws a JitneyError for an unknown change. */
function clockChange({ change, value }: GivenChange): ClockChange | undefined {
  if (change === undefined) return undefined;
  const call = CLOCK_CHANGES.find((each) => each === change);
  if (call === undefined)
    throw wrong(`'clock ${change}' is not known: give one of ${CLOCK_CHANGES.join(', ')}.`);
  if (call === 'advance') return { call, body: { by: spanOf(value) } };
  if (call === 'scale') return { call, body: { rate: rateOf(value) } };
  if (value !== undefined) throw wrong(`'clock ${call}' takes no value: leave out '${value}'.`);
  return { call, body: {} };
}

function spanOf(value: string | undefined): number {
  if (value === undefined)
    throw wrong("'clock advance' needs a duration, such as PT5M, P2D or 90 for seconds.");
  try {
    const byMs = parseSpan(value);
    if (Number.isFinite(byMs)) return byMs;
  } catch (error) {
    throw wrong(`The duration ${(error as Error).message}.`);
  }
  throw wrong(`A clock cannot be advanced by ${value}, which means "never".`);
}

function rateOf(value: string | undefined): number {
  const rate = Number(value);
  if (value !== undefined && rate > 0 && Number.isFinite(rate)) return rate;
  throw wrong(
    `'clock scale' needs how many times as fast time runs: a number from 0.001 to 1000000, such as 60, not ${value ?? 'nothing'}.`,
  );
}

function wrong(text: string): Error {
  return usageError(text);
}

export async function setClock(
  client: ControlClient,
  given: GivenChange,
  { stdout, isJson }: CommandOutput,
): Promise<void> {
  const answer = await ask(client, clockChange(given));
  if (isJson) stdout(`${JSON.stringify(answer)}\n`);
  else if ('fired' in answer) stdout(`${firedLines(answer)}${clockLine(answer.clock)}\n`);
  else stdout(`${clockLine(answer)}\n`);
}

function ask(client: ControlClient, change: ClockChange | undefined): Promise<ClockAnswer | Advanced> {
  if (change === undefined) return client.call<ClockAnswer>({ name: 'clock' });
  return client.call({ method: 'POST', name: `clock:${change.call}`, body: change.body });
}

/** One line for each kind of event and entity, in the order in which they first appear. */
function firedLines({ fired }: Advanced): string {
  const counts = new Map<string, number>();
  for (const { kind, path = '' } of fired) {
    const what = `${kind}  ${oneLine(path)}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  if (counts.size === 0) return 'Nothing fell due.\n';
  return [...counts].map(([what, count]) => `${String(count).padStart(6)}  ${what}\n`).join('');
}

function clockLine({ mode, rate, offsetMs, time, nextDue }: ClockAnswer): string {
  const next = nextDue === undefined ? 'nothing is due' : `next due at ${localTime(nextDue)}`;
  const offset = shortDuration(Math.abs(offsetMs));
  const relation =
    offsetMs === 0 ? 'the time of the machine' : `${offset} ${offsetMs > 0 ? 'ahead' : 'behind'}`;
  const how = {
    real: 'the time of the machine',
    offset: relation,
    frozen: `frozen, ${relation}`,
    scaled: `${rate} times as fast, ${relation}`,
  }[mode];
  return `${localTime(time)}  ${how}; ${next}`;
}
