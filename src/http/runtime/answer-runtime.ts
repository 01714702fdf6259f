// Runs a request that sends, receives or settles, and words its errors with the statuses of the runtime.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import type { FaultOperation } from '../../steer/fault.js';
import { RequestProblem, requestError, runtimeError } from '../error-response.js';
import type { AnswerCall, RoutedCall } from '../http-context.js';
import { answerFaultable } from '../http-faults.js';
import { noteRefusal } from '../note-refusal.js';
import { peekLockMessage, receiveAndDeleteMessage } from './receive-message.js';
import { sendMessages } from './send-messages.js';
import { completeMessage, renewMessageLock, unlockMessage } from './settle-message.js';

/** The names of the calls in faults. */
const OPERATIONS: ReadonlyMap<AnswerCall, FaultOperation> = new Map<AnswerCall, FaultOperation>([
  [sendMessages, 'send'],
  [peekLockMessage, 'receive'],
  [receiveAndDeleteMessage, 'receive'],
  [completeMessage, 'complete'],
  [unlockMessage, 'abandon'],
  [renewMessageLock, 'renew-lock'],
]);

export async function answerRuntime(answer: AnswerCall, call: RoutedCall): Promise<Response> {
  try {
    return await answerFaultable(answer, call, OPERATIONS.get(answer));
  } catch (error) {
    return refusal(error, call);
  }
}

/** The answer to a client's mistake. Rethrows all other errors. */
function refusal(error: unknown, call: RoutedCall): Response {
  const { names, path, errorContext } = call;
  const entityPath = names.entity === '' ? path.join('/') : names.entity;
  const context = { ...errorContext, entityPath };
  if (error instanceof ServiceBusError) {
    const response = runtimeError(error, context, entityPath);
    // The broker itself has recorded a lost lock.
    if (error.reason !== 'message-lock-lost') noteRefusal(call, response.status, error.message);
    return response;
  }
  if (error instanceof RequestProblem) {
    noteRefusal(call, error.status, error.message);
    return requestError(error.status, error.message, context, error.headers);
  }
  if (!(error instanceof ValueError)) throw error;
  const text = `${error.message}.`;
  noteRefusal(call, 400, text);
  return requestError(400, text, context);
}
