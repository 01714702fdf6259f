// Waits until the emulator has nothing left to do. If that takes too long, says what it is still doing.

import type { InspectedWork } from '../broker/contract/inspection.js';
import { isoTime } from '../broker/contract/instant.js';
import type { StartTimer } from '../engine/timer.js';
import { JitneyError } from '../jitney-error.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import { clientWithConnection } from '../watch/activity-text.js';
import type { Idleness } from './entity-look.js';
import { checkKeys } from './given-options.js';
import { ask, type LookContext } from './look-context.js';
import { waitUntil } from './wait-until.js';

export type IdleOptions = {
  /** Milliseconds of real time. Default: 5000. */
  readonly timeoutMs?: number;
  /** Ends the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

type IdleContext = Omit<LookContext, 'look' | 'arrange'>;

const DEFAULT_TIMEOUT_MS = 5000;
/**
 * If a receiver might still take a message, the emulator is idle only after a quarter of a second without any event, because the SDKs
 * first settle a message and then ask for the next one. The time has short steps, so that a process that was held up reads its sockets in
 * between.
 */
const QUIET_STEPS = 10;
const QUIET_STEP_MS = 25;
const QUIET_MS = QUIET_STEPS * QUIET_STEP_MS;

/** Rejects with a JitneyError, with a RangeError or TypeError for wrong options, or with the reason of the signal. */
export async function waitForIdle(context: LookContext, options?: IdleOptions): Promise<void> {
  checkKeys('idle', options, ['timeoutMs', 'signal']);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options ?? {};
  const { waits, startTimer } = context;
  const idle = new IdleLook(context);
  await waitUntil({
    look: async (again) => ((await idle.isIdle(again)) ? true : undefined),
    timeoutMs,
    signal,
    waits,
    startTimer,
    observe: (again) => idle.observe(again),
    expired: () => {
      const text = `The emulator was not idle within ${timeoutMs} ms: ${idle.underWay.join('; ')}.`;
      return new JitneyError('not-idle', text);
    },
  });
}

export class IdleLook implements Idleness {
  readonly #context: IdleContext;
  readonly #quiet: QuietTime;
  /** For those who wait while locks are held, at which the other one ends. */
  readonly #stillness: QuietTime;
  #underWay: readonly string[] = [];

  constructor(context: IdleContext) {
    this.#context = context;
    this.#quiet = new QuietTime(context.activity, context.startTimer);
    this.#stillness = new QuietTime(context.activity, context.startTimer);
  }

  get underWay(): readonly string[] {
    return this.#underWay;
  }

  async isIdle(again: () => void): Promise<boolean> {
    // The answer comes when every earlier turn is durable and published.
    const { work } = await ask(this.#context, { kind: 'inspect-work' }, 'inspected-work');
    this.#underWay = wordWork(work, this.#context);
    if (this.#underWay.length > 0) {
      this.#quiet.stop();
      return false;
    }
    if (work.available.length === 0 || this.#quiet.isOver) return true;
    this.#underWay = work.available.map(wordAvailable);
    this.#quiet.start(again);
    return false;
  }

  isQuiet(again: () => void): boolean {
    if (!this.#stillness.isOver) this.#stillness.start(again);
    return this.#stillness.isOver;
  }

  observe(again: () => void): () => void {
    const { activity, connections } = this.#context;
    const ends = [
      activity.watch(() => again()),
      connections.onTraffic(again),
      () => this.#quiet.stop(),
      () => this.#stillness.stop(),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
}

class QuietTime {
  readonly #activity: ActivityStream;
  readonly #startTimer: StartTimer;
  #cancel: (() => void) | undefined;
  #stepsLeft = QUIET_STEPS;
  #nextId: number | undefined;

  constructor(activity: ActivityStream, startTimer: StartTimer) {
    this.#activity = activity;
    this.#startTimer = startTimer;
  }

  get isOver(): boolean {
    return this.#stepsLeft === 0 && this.#nextId === this.#activity.nextId;
  }

  /** Goes on, or starts again if something was recorded. Calls `ring` at the end. */
  start(ring: () => void): undefined {
    if (this.#nextId === this.#activity.nextId && this.#cancel !== undefined) return;
    this.stop();
    this.#nextId = this.#activity.nextId;
    this.#step(ring);
  }

  stop(): undefined {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#stepsLeft = QUIET_STEPS;
    this.#nextId = undefined;
  }

  #step(ring: () => void): void {
    this.#cancel = this.#startTimer(QUIET_STEP_MS, () => {
      this.#stepsLeft -= 1;
      if (this.#stepsLeft > 0) this.#step(ring);
      else {
        this.#cancel = undefined;
        ring();
      }
    });
  }
}

/** Describes everything that will change by itself or because of a client, one line each. */
function wordWork(
  { locked, moving, openTransactionCount }: InspectedWork,
  { activity, engine, connections }: IdleContext,
): readonly string[] {
  const { unsentBytes, heldBytes } = connections;
  const { waitingDeliveryCount } = engine;
  return [
    ...locked.map((held) => wordLocked(held, activity)),
    ...moving.map(({ path, count, destination }) => {
      return `'${path}' has ${messages(count)} on the way to '${destination ?? ''}'`;
    }),
    ...(openTransactionCount > 0 ? [`open transactions: ${openTransactionCount}`] : []),
    ...(waitingDeliveryCount > 0 ? [`deliveries that are not written yet: ${waitingDeliveryCount}`] : []),
    ...(unsentBytes > 0 ? [`bytes that are not sent yet: ${unsentBytes}`] : []),
    ...(heldBytes > 0 ? [`bytes of messages that have not come in full: ${heldBytes}`] : []),
  ];
}

function wordLocked(
  { path, count, first }: InspectedWork['locked'][number],
  activity: ActivityStream,
): string {
  const { sequenceNumber, linkId, lockedUntil } = first;
  const client = linkId === undefined ? undefined : activity.clientOfLink(linkId);
  const end = isoTime(lockedUntil);
  const until = end === undefined ? 'for as long as its session' : `until ${end}`;
  const by = client === undefined ? '' : ` by ${clientWithConnection(client)}`;
  return `'${path}' has ${messages(count)} locked, #${sequenceNumber} ${until}${by}`;
}

function wordAvailable({ path, count, receiverCount }: InspectedWork['available'][number]): string {
  const receivers = `${receiverCount} receiver${receiverCount === 1 ? '' : 's'}`;
  return `'${path}' has ${messages(count)} and ${receivers}, and there was no quiet time of ${QUIET_MS} ms`;
}

function messages(count: number): string {
  return `${count} message${count === 1 ? '' : 's'}`;
}
