// Runs a request that sends, receives or settles, and words its errors with the statuses of the runtime.

import { ServiceBusError } from '../../broker/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import { RequestProblem, requestError, runtimeError } from '../error-response.js';
import type { AnswerCall, RoutedCall } from '../http-context.js';

export async function answerRuntime(answer: AnswerCall, call: RoutedCall): Promise<Response> {
  try {
    return await answer(call);
  } catch (error) {
    return refusal(error, call);
  }
}

/** The answer to a client's mistake. Rethrows all other errors. */
function refusal(error: unknown, { names, path, errorContext }: RoutedCall): Response {
  const entityPath = names.entity === '' ? path.join('/') : names.entity;
  const context = { ...errorContext, entityPath };
  if (error instanceof ServiceBusError) return runtimeError(error, context, entityPath);
  if (error instanceof RequestProblem)
    return requestError(error.status, error.message, context, error.headers);
  if (error instanceof ValueError) return requestError(400, `${error.message}.`, context);
  throw error;
}
