// Submits the command of a changing call, with the program that sent the request as its origin.

import type { Command } from '../../broker/contract/command.js';
import type { Result } from '../../broker/contract/result.js';
import type { RoutedCall } from '../http-context.js';
import { requestOrigin } from '../note-refusal.js';

/** Returns the result of the command. The events of its turn name the program that sent the request. */
export function askAs({ context, request }: RoutedCall, command: Command): Promise<Result> {
  const origin = requestOrigin(request);
  return new Promise((resolve, reject) => {
    const requester = {
      origin,
      completed: (_tag: number, result: Result) => resolve(result),
      faulted: reject,
    };
    context.engine.submit(command, requester, 0);
  });
}
