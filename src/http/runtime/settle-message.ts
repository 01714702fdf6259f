// POST, PUT and DELETE .../messages/<id>/<lock token>: renews the lock of a message, unlocks it or completes it.

import type { Command } from '../../broker/contract/command.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall, RoutedCall } from '../http-context.js';
import { emptyAnswer } from './empty-answer.js';

/** Throws a ServiceBusError. */
export function renewMessageLock(call: RoutedCall): Promise<Response> {
  return settle(call, {
    kind: 'renew-lock',
    entityPath: call.names.entity,
    lockTokens: [lockTokenOf(call)],
  });
}

/** Throws a ServiceBusError. */
export function unlockMessage(call: RoutedCall): Promise<Response> {
  return settle(call, {
    kind: 'settle',
    entityPath: call.names.entity,
    lockToken: lockTokenOf(call),
    outcome: { kind: 'abandon', changes: [] },
  });
}

/** Throws a ServiceBusError. */
export function completeMessage(call: RoutedCall): Promise<Response> {
  return settle(call, {
    kind: 'settle',
    entityPath: call.names.entity,
    lockToken: lockTokenOf(call),
    outcome: { kind: 'complete' },
  });
}

async function settle({ context }: RoutedCall, command: Command): Promise<Response> {
  const result = await context.engine.ask(command);
  if (result.kind === 'failed') throw result.error;
  return emptyAnswer(200);
}

/** The lock token as 32 hexadecimal digits. It alone identifies the message; the number or id before it in the URL is ignored. */
function lockTokenOf({ names }: RoutedCall): string {
  return names.lockToken.replaceAll('-', '').toLowerCase();
}

export function refuseLockToken({ path }: HttpCall): never {
  const token = path.at(-1) ?? '';
  const text = `There is no message with the lock token '${token.slice(0, 100)}': it is not a GUID. Use the Location header of the answer in which you received the message.`;
  throw new RequestProblem(404, text);
}

/** Refuses a POST that does not send, receive or renew a lock. */
export function refusePost({ path }: HttpCall): never {
  const name = path.join('/').slice(0, 300);
  const text = `Nothing can be posted to '/${name}': send with POST /<entity>/messages, receive with POST /<entity>/messages/head.`;
  throw new RequestProblem(405, text, { allow: 'GET, PUT, DELETE' });
}
