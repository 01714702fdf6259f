// The broker's only error, with a closed set of reasons. The AMQP and HTTP front ends map each reason to a wire code.

export type ErrorReason =
  | 'entity-not-found'
  | 'entity-already-exists'
  | 'entity-disabled'
  | 'message-lock-lost'
  | 'session-lock-lost'
  | 'session-cannot-be-locked'
  | 'message-not-found'
  | 'message-size-exceeded'
  | 'property-size-exceeded'
  | 'quota-exceeded'
  | 'not-allowed'
  | 'not-implemented'
  | 'timeout'
  | 'server-busy'
  | 'transaction-unknown'
  | 'transaction-timeout'
  | 'transaction-rolled-back'
  /** The front end has found that a right is missing. */
  | 'unauthorized'
  /** A field of AMQP has no meaning here. */
  | 'invalid-field'
  | 'argument'
  | 'argument-out-of-range'
  | 'internal';

/** The subject of a refusal, where neither its reason nor the property shows it. */
type RefusalSubject =
  /** The property cannot change after the entity is created. */
  | 'fixed-property'
  /** The tier lacks the property or, if no property is given, topics. */
  | 'tier'
  /** The destination does not exist, or the entity cannot forward. */
  | 'forwarding'
  /** A queue already has the name of a new topic, or the reverse (ENT-03). */
  | 'name-in-use'
  /** An earlier command of the same step changes the same object. */
  | 'same-step'
  // The kind of entity that does not allow the operation:
  | 'topic'
  | 'subscription'
  | 'no-subscription'
  | 'dead-letter-queue'
  | 'partitioned'
  | 'forwards'
  | 'requires-sessions'
  | 'no-sessions';

/** A refusal as data, so that code need not parse its text. */
export type RefusalData = {
  /** The path of the entity, for the tracking suffix of the wire text. */
  readonly entityPath?: string | undefined;
  readonly about?: RefusalSubject;
  /** The refused property of a description, a message or a request. */
  readonly property?: string | undefined;
  /** The refused value, or its length, size or count where that is limited. */
  readonly value?: string | number | boolean | readonly number[] | undefined;
  /** The maximum of the value. */
  readonly limit?: number;
  /** The minimum of the value. */
  readonly least?: number;
  /** SQL-23: the position in an expression, counted from 1, and the problem there. */
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
