// The fields of a fault: which operations it hits, what happens to them, and how often.

import type { ClockDuration } from './emulator-clock.js';

/** The operations of clients. `receive` stands for each message that is delivered to a receiver. */
export const FAULT_OPERATIONS = [
  'send',
  'receive',
  'complete',
  'abandon',
  'dead-letter',
  'defer',
  'renew-lock',
  ...([
    'renew-session-lock',
    'get-session-state',
    'set-session-state',
    'schedule',
    'cancel',
    'peek',
  ] as const),
  'attach',
  'open',
  'token',
  'declare',
  'discharge',
  'administration',
] as const;

export type FaultOperation = (typeof FAULT_OPERATIONS)[number];

/** The longest `delay`, `jitter` and `for`: a day. */
export const LONGEST_FAULT_MS = 24 * 3_600_000;

/**
 * A fault to add: which operations it hits, what happens to them, and how often. Its effect is exactly one of `error`, `status`, `detach`,
 * `close`, `reset`, `silence`, `loseAnswer`, `deliverTwice` and `endLock`, or only `delay`.
 */
export type Fault = {
  /** The operation, several of them, or `'any'`. */
  readonly on: FaultOperation | 'any' | readonly FaultOperation[];
  /** The path of an entity, such as `orders` or `events/Subscriptions/*`, in any case; `*` stands for any text. Default: every entity. */
  readonly entity?: string;
  /** Only messages that match this SQL, as in a rule: `region = 'EU' AND sys.DeliveryCount = 0`. Default: every message. */
  readonly match?: string;

  /** Fails the operation with this AMQP condition, without carrying it out: `com.microsoft:server-busy`, or `server-busy` in short. */
  readonly error?: string;
  /** The description of the error. Default: Azure's. */
  readonly text?: string;
  /** Answers a request over HTTP with this status, from 400 to 599. Operations over AMQP are not affected. */
  readonly status?: number;
  /** Detaches the link with this condition, without carrying the operation out. `true` means `amqp:link:detach-forced`. */
  readonly detach?: string | true;
  /** Closes the connection with this condition. `true` means `amqp:connection:forced`. */
  readonly close?: string | true;
  /** Cuts the connection with a TCP RST, as a broken network does. */
  readonly reset?: true;
  /** Neither reads nor writes on the connection any more; it stays open. */
  readonly silence?: true;
  /** Carries the operation out, but never answers: a lost acknowledgement. */
  readonly loseAnswer?: true;
  /** Delivers the message again after its completion, as if the completion had been lost. Only on `receive`, in peek-lock mode. */
  readonly deliverTwice?: true;
  /** Ends the lock of the delivered message, at once or after `delay`. Only on `receive`. */
  readonly endLock?: true;

  /** Holds the operation back for this time: a duration such as `'PT0.5S'`, or milliseconds of real time. Later operations on its link wait, too. */
  readonly delay?: ClockDuration;
  /** Adds a random time of up to this to `delay`. */
  readonly jitter?: ClockDuration;

  /** The first operation to hit: 3 lets two operations pass. If it is set, the default of `times` is 1. */
  readonly nth?: number;
  /** How often it happens. Default: until the fault is removed. */
  readonly times?: number;
  /** How likely it is to happen to each operation, above 0 and up to 1. Default: 1. */
  readonly probability?: number;
  /** The seed of the random numbers of `probability` and `jitter`, so that they are the same each time. Default: 1. */
  readonly seed?: number;
  /** Lets so many operations pass in each second of real time, and hits only the operations after them. */
  readonly above?: number;
  /** Ends the fault after this time: a duration, or milliseconds of real time. */
  readonly for?: ClockDuration;
};

/** The change that a fault makes to an operation. Conditions are whole AMQP symbols. */
export type FaultEffect =
  | { readonly kind: 'error'; readonly condition: string; readonly text: string | undefined }
  | { readonly kind: 'status'; readonly status: number; readonly text: string | undefined }
  | { readonly kind: 'detach' | 'close'; readonly condition: string; readonly text: string | undefined }
  | {
      readonly kind: 'reset' | 'silence' | 'lose-answer' | 'deliver-twice' | 'end-lock' | 'delay';
    };

/** The effect on one operation, and how long the operation is held back first. */
export type FiredFault = { readonly faultId: number; readonly effect: FaultEffect; readonly delayMs: number };

/** The error for a fault that cannot be added. The message says what was wrong, the value seen, and what is possible. */
export class FaultError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FaultError';
  }
}
