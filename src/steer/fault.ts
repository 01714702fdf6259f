// The words of a fault: the operation it befalls, what happens to it, and how often.

import type { ClockDuration } from './emulator-clock.js';

/** The operations of clients. `receive` is each message that goes to a receiver. */
export const FAULT_OPERATIONS = [
  ...(['send', 'receive', 'complete', 'abandon', 'dead-letter', 'defer', 'renew-lock'] as const),
  ...([
    'renew-session-lock',
    'get-session-state',
    'set-session-state',
    'schedule',
    'cancel',
    'peek',
  ] as const),
  ...(['attach', 'open', 'token', 'declare', 'discharge', 'administration'] as const),
] as const;

export type FaultOperation = (typeof FAULT_OPERATIONS)[number];

/** The longest `delay`, `jitter` and `for`: a day. */
export const LONGEST_FAULT_MS = 24 * 3_600_000;

/**
 * A fault to add: on which operations, what happens to them, and how often. Exactly one of `error`, `status`, `detach`, `close`, `reset`,
 * `silence`, `loseAnswer`, `deliverTwice` and `endLock` says what happens, or `delay` alone.
 */
export type Fault = {
  /** The operation, several of them, or `'any'`. */
  readonly on: FaultOperation | 'any' | readonly FaultOperation[];
  /** The path of an entity, such as `orders` or `events/Subscriptions/*`, in any case; `*` stands for any text. Default: every entity. */
  readonly entity?: string;
  /** A filter over the message in the SQL of rules, such as `region = 'EU' AND sys.DeliveryCount = 0`. Default: every message. */
  readonly match?: string;

  /** Fails the operation, which is not carried out, with this AMQP condition: `com.microsoft:server-busy`, or `server-busy` in short. */
  readonly error?: string;
  /** The description of the error. Default: Azure's. */
  readonly text?: string;
  /** Answers a request over HTTP with this status, from 400 to 599; AMQP is left alone. */
  readonly status?: number;
  /** Detaches the link with this condition; `true`: with `amqp:link:detach-forced`. The operation is not carried out. */
  readonly detach?: string | true;
  /** Closes the connection with this condition; `true`: with `amqp:connection:forced`. */
  readonly close?: string | true;
  /** Breaks the connection off, as a network does: TCP's RST. */
  readonly reset?: true;
  /** Says and hears nothing more on the connection, which stays open. */
  readonly silence?: true;
  /** Carries the operation out, and never answers: a lost acknowledgement. */
  readonly loseAnswer?: true;
  /** Delivers the message again after it was completed, as if the completion were lost on the way. Only on `receive`, in peek-lock mode. */
  readonly deliverTwice?: true;
  /** Ends the lock that the receiver has got, at once or after `delay`. Only on `receive`. */
  readonly endLock?: true;

  /** Holds the operation back so long: a duration as `'PT0.5S'`, or milliseconds of real time. What comes behind it on its link waits, too. */
  readonly delay?: ClockDuration;
  /** Adds a random time of up to this to `delay`. */
  readonly jitter?: ClockDuration;

  /** Lets the operations before this one pass: 3 begins with the third. Then `times` is 1 by default. */
  readonly nth?: number;
  /** How often it happens. Default: until the fault is removed. */
  readonly times?: number;
  /** How likely it happens to each operation, above 0 and up to 1. Default: 1. */
  readonly probability?: number;
  /** The start of the random numbers of `probability` and `jitter`, which are the same each time. Default: 1. */
  readonly seed?: number;
  /** Spares so many operations in each second of real time, and befalls only those beyond. */
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

/** The effect on one operation, and how long it is held back before. */
export type FiredFault = { readonly faultId: number; readonly effect: FaultEffect; readonly delayMs: number };

/** A fault that cannot be added. The message says what was wrong, the value seen, and what is possible. */
export class FaultError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FaultError';
  }
}
