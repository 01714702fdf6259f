// The calls of the control interface that read and change the broker's clock.

import type { z } from 'zod';
import { AdvanceEnded, AdvanceTooFar } from '../../steer/clock-control.js';
import type { AdvanceOptions, ClockAdvance, EmulatorClock } from '../../steer/emulator-clock.js';
import { RequestProblem } from '../error-response.js';
import type { RoutedCall } from '../http-context.js';
import { advanceBody, emptyBody, noQuery, readBodyOf, readSearch, scaleBody } from './control-requests.js';
import type { AdvancedAnswer, ClockAnswer } from './control-schemas.js';
import { eventAnswer } from './event-writer.js';

const MAX_BODY_BYTES = 1024;

export const CLOCK_CALLS = {
  getClock(call: RoutedCall): ClockAnswer {
    readSearch(call, noQuery);
    return clockAnswer(clockOf(call));
  },

  async advanceClock(call: RoutedCall): Promise<AdvancedAnswer> {
    const clock = clockOf(call);
    const { by } = await read(call, advanceBody);
    return advancing(call, async (options) => advancedAnswer(clock, await clock.advance(by, options)));
  },

  async advanceClockToNext(call: RoutedCall): Promise<AdvancedAnswer> {
    const clock = clockOf(call);
    await read(call, emptyBody);
    return advancing(call, async (options) => advancedAnswer(clock, await clock.advanceToNext(options)));
  },

  freezeClock: (call: RoutedCall): Promise<ClockAnswer> => change(call, (clock) => clock.freeze()),
  resumeClock: (call: RoutedCall): Promise<ClockAnswer> => change(call, (clock) => clock.resume()),
  resetClock: (call: RoutedCall): Promise<ClockAnswer> => change(call, (clock) => clock.reset()),

  async scaleClock(call: RoutedCall): Promise<ClockAnswer> {
    const clock = clockOf(call);
    const { rate } = await read(call, scaleBody);
    await clock.scale(rate);
    return clockAnswer(clock);
  },
} as const;

/** Stops the advance when the client ends its request. */
async function advancing(
  { request: { signal } }: RoutedCall,
  advance: (options: AdvanceOptions) => Promise<AdvancedAnswer>,
): Promise<AdvancedAnswer> {
  try {
    return await advance({ signal });
  } catch (error) {
    if (error instanceof AdvanceTooFar) throw new RequestProblem(400, error.message);
    if (error instanceof AdvanceEnded) throw new RequestProblem(409, error.message);
    if (signal.aborted) throw new RequestProblem(409, 'The client has ended the advance.');
    throw error;
  }
}

/** A change without parameters. */
async function change(call: RoutedCall, make: (clock: EmulatorClock) => Promise<void>): Promise<ClockAnswer> {
  const clock = clockOf(call);
  await read(call, emptyBody);
  await make(clock);
  return clockAnswer(clock);
}

async function read<Schema extends z.ZodType>(call: RoutedCall, schema: Schema): Promise<z.infer<Schema>> {
  readSearch(call, noQuery);
  return readBodyOf(call, schema, MAX_BODY_BYTES);
}

function clockOf({ context }: RoutedCall): EmulatorClock {
  const clock = context.control?.clock;
  if (clock === undefined) throw new RequestProblem(404, 'This emulator has no clock that can be set.');
  return clock;
}

function clockAnswer({ state }: EmulatorClock): ClockAnswer {
  const { mode, rate, offsetMs, time, realTime, nextDue } = state;
  return {
    mode,
    rate,
    offsetMs,
    time: time.toISOString(),
    realTime: realTime.toISOString(),
    nextDue: nextDue?.toISOString(),
  };
}

/** `advance`: undefined if nothing was due. */
function advancedAnswer(clock: EmulatorClock, advance: ClockAdvance | undefined): AdvancedAnswer {
  const { from = clock.now(), to = clock.now(), fired = [] } = advance ?? {};
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    fired: fired.map(eventAnswer),
    clock: clockAnswer(clock),
  };
}
