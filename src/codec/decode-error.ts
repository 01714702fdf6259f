// The error about bytes that are not AMQP 1.0, with the AMQP condition that the peer receives.

type DecodeCondition = 'amqp:decode-error' | 'amqp:invalid-field' | 'amqp:connection:framing-error';

export class DecodeError extends Error {
  readonly condition: DecodeCondition;

  constructor(message: string, condition: DecodeCondition = 'amqp:decode-error') {
    super(message);
    this.name = 'DecodeError';
    this.condition = condition;
  }
}
