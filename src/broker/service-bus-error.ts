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

export class ServiceBusError extends Error {
  readonly reason: ErrorReason;
  /** The path of the entity it is about, for the tracking suffix of the wire text. */
  readonly entityPath: string | undefined;
  /** The property of the entity's description that was refused, where it is one. */
  readonly property: string | undefined;

  constructor(reason: ErrorReason, message: string, entityPath?: string, property?: string) {
    super(message);
    this.name = 'ServiceBusError';
    this.reason = reason;
    this.entityPath = entityPath;
    this.property = property;
  }
}
