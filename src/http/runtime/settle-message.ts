// DELETE, PUT and POST of a locked message's place: it is completed, unlocked, or its lock is renewed.

import type { Command } from '../../broker/command.js';
import type { HttpEngine } from '../http-context.js';

export type Settling = {
  readonly entityPath: string;
  /** 32 hexadecimal digits; whoever shows it holds the lock, whatever number or id stands before it. */
  readonly lockToken: string;
  readonly gesture: 'complete' | 'unlock' | 'renew';
};

/** Throws a ServiceBusError. */
export async function settleMessage(settling: Settling, engine: HttpEngine): Promise<Response> {
  const result = await engine.ask(commandFor(settling));
  if (result.kind === 'failed') throw result.error;
  return new Response(null, { status: 200 });
}

function commandFor({ entityPath, lockToken, gesture }: Settling): Command {
  switch (gesture) {
    case 'complete':
      return { kind: 'settle', entityPath, lockToken, outcome: { kind: 'complete' } };
    case 'unlock':
      return { kind: 'settle', entityPath, lockToken, outcome: { kind: 'abandon', changes: [] } };
    case 'renew':
      return { kind: 'renew-lock', entityPath, lockTokens: [lockToken] };
    default:
      return gesture satisfies never;
  }
}
