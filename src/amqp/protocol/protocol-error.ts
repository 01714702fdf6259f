// The error of a peer that breaks AMQP: its condition, and whether the link, the session or the connection ends.

type ProtocolScope = 'connection' | 'session' | 'link';

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
