// A receiver's request for a message session: which session, how long to wait for it, and the answer.

import type { Instant } from '../../broker/contract/instant.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { Attach } from '../../codec/performatives.js';
import { entryOf, integerOf } from '../../codec/read-value.js';
import { answeredSource } from '../../codec/terminus.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { MAX_DELAY_MS, type StartTimer } from '../../engine/timer.js';
import { describeValue } from '../describe-value.js';
import type { AttachReply } from '../protocol/link-attachment.js';
import { formatTimeSpan } from '../time-span.js';
import { answeredFilter, isMove, type SessionFilter } from './receiver-source.js';

const TIMEOUT = 'com.microsoft:timeout';
const DEFAULT_TIMEOUT_MS = 65_000;
const LOCKED_UNTIL = amqp.symbol('com.microsoft:locked-until-utc');
/** Ticks of .NET: 100 ns each, from the year 1 on. */
const TICKS_PER_MS = 10_000n;
const TICKS_BEFORE_1970 = 621_355_968_000_000_000n;

type SessionRequestOptions = {
  readonly entityPath: string;
  /** Identifies the holder of the session to the broker. */
  readonly connectionId: number;
  readonly startTimer: StartTimer;
};

export class SessionRequest {
  readonly connectionId: number;
  /** Undefined once the request is answered. */
  #source: Buffer | undefined;
  readonly #filter: SessionFilter;
  readonly #entityPath: string;
  readonly #startTimer: StartTimer;
  /** Undefined when a session is named: its request is answered at once. */
  readonly #timeoutMs: number | undefined;
  #cancel: (() => void) | undefined;

  /** Throws ServiceBusError when the timeout in the attach is no number of milliseconds. */
  constructor(attach: Attach, filter: SessionFilter, options: SessionRequestOptions) {
    this.connectionId = options.connectionId;
    this.#source = attach.source;
    this.#filter = filter;
    this.#entityPath = options.entityPath;
    this.#startTimer = options.startTimer;
    if (filter.sessionId === undefined) this.#timeoutMs = readTimeout(attach, options.entityPath);
  }

  /** The requested session; undefined for the next available one. */
  get sessionId(): string | undefined {
    return this.#filter.sessionId;
  }

  /** Starts the timeout. Must be called when the broker has accepted the request. SES-09 */
  startWaiting(timedOut: (error: ServiceBusError) => void): void {
    const timeoutMs = this.#timeoutMs;
    if (timeoutMs === undefined) return;
    this.#cancel = this.#startTimer(timeoutMs, () => timedOut(timeoutError(timeoutMs, this.#entityPath)));
  }

  stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** SES-10 */
  reply(sessionId: string, lockedUntil: Instant): AttachReply {
    const source = this.#source;
    this.#source = undefined;
    const filter = answeredFilter(this.#filter, sessionId);
    const ticks = BigInt(lockedUntil) * TICKS_PER_MS + TICKS_BEFORE_1970;
    return {
      source: source && answeredSource(source, { filter, keepsMode: isMove(source) }),
      properties: amqp.map([[LOCKED_UNTIL, amqp.long(ticks)]]),
    };
  }
}

function timeoutError(timeoutMs: number, entityPath: string): ServiceBusError {
  const text = `The operation did not complete within the allotted timeout of ${formatTimeSpan(timeoutMs)}.`;
  return new ServiceBusError('timeout', text, { entityPath, property: TIMEOUT, value: timeoutMs });
}

function readTimeout({ properties }: Attach, entityPath: string): number {
  const given = entryOf(properties, TIMEOUT);
  if (given === undefined || given.value === null) return DEFAULT_TIMEOUT_MS;
  const timeoutMs = integerOf(given) ?? hugeIntegerOf(given);
  if (timeoutMs === undefined || timeoutMs < 0) {
    throw new ServiceBusError(
      'argument',
      `The link property '${TIMEOUT}' is ${describeValue(given)}; it must be the milliseconds to wait for a session, as an integer that is not negative.`,
      { entityPath, property: TIMEOUT },
    );
  }
  return Math.min(timeoutMs, MAX_DELAY_MS);
}

/** An integer above 2^53, with which some programs ask to wait forever; otherwise undefined. */
function hugeIntegerOf({ type, value }: AmqpValue): number | undefined {
  return typeof value === 'bigint' && type.name !== 'Timestamp' ? Number(value) : undefined;
}
