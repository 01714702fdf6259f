// What is thrown at bytes that are not AMQP 1.0: carries the condition a peer is told.

export type DecodeCondition = 'amqp:decode-error' | 'amqp:invalid-field' | 'amqp:connection:framing-error';

export class DecodeError extends Error {
  readonly condition: DecodeCondition;

  constructor(message: string, condition: DecodeCondition = 'amqp:decode-error') {
    super(message);
    this.name = 'DecodeError';
    this.condition = condition;
  }
}
