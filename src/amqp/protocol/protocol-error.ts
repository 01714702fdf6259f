// A peer's breach of AMQP: says which part of the conversation ends, and the condition it is told.

export type ProtocolScope = 'connection' | 'session' | 'link';

export class ProtocolError extends Error {
  readonly scope: ProtocolScope;
  readonly condition: string;

  constructor(scope: ProtocolScope, condition: string, description: string) {
    super(description);
    this.name = 'ProtocolError';
    this.scope = scope;
    this.condition = condition;
  }
}
