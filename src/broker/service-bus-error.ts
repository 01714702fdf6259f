// The one error of the broker: a closed set of reasons; how each looks on AMQP or HTTP is decided at those edges.

export type ErrorReason =
  | 'entity-not-found'
  | 'entity-already-exists'
  | 'entity-disabled'
  | 'message-lock-lost'
  | 'session-lock-lost'
  | 'session-cannot-be-locked'
  | 'message-not-found'
  | 'message-size-exceeded'
  | 'quota-exceeded'
  | 'not-allowed'
  | 'not-implemented'
  | 'timeout'
  | 'transaction-unknown'
  | 'transaction-timeout'
  | 'transaction-rolled-back'
  | 'argument'
  | 'argument-out-of-range'
  | 'internal';

/** What a refusal is about, where neither its reason nor the property says so. */
export type RefusalSubject =
  /** The property cannot change once the entity is there. */
  | 'fixed-property'
  /** The tier does not have the property; without one, it does not have topics. */
  | 'tier'
  /** The property forwards to what is not there, or from where nothing can be forwarded. */
  | 'forwarding'
  /** There is a queue where a topic is to be, or the reverse (ENT-03). */
  | 'name-in-use'
  /** An earlier command of the same step changes the same. */
  | 'same-step'
  // What the entity is, for which the operation is none:
  | 'topic'
  | 'subscription'
  | 'no-subscription'
  | 'dead-letter-queue'
  | 'partitioned'
  | 'forwards'
  | 'requires-sessions'
  | 'no-sessions';

/** A refusal as data, so that nobody has to read its text to know it from another. */
export type RefusalData = {
  /** The path of the entity it is about, for the tracking suffix of the wire text. */
  readonly entityPath?: string | undefined;
  readonly about?: RefusalSubject;
  /** What was refused of a description, a message or a request. */
  readonly property?: string | undefined;
  /** What it was to be; where a length, a size or a count is limited, that one. */
  readonly value?: string | number | boolean | readonly number[] | undefined;
  /** The most that the value may be. */
  readonly limit?: number;
  /** The least that it may be. */
  readonly least?: number;
  /** SQL-23: where in an expression, counted from 1, and what is wrong there. */
  readonly sql?: { readonly line: number; readonly column: number; readonly problem: string };
};

export class ServiceBusError extends Error {
  readonly reason: ErrorReason;
  readonly data: RefusalData;

  constructor(reason: ErrorReason, message: string, data: RefusalData = {}) {
    super(message);
    this.name = 'ServiceBusError';
    this.reason = reason;
    this.data = data;
  }

  get entityPath(): string | undefined {
    return this.data.entityPath;
  }
}
