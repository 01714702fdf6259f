// Runs a call of the control interface, and answers its result or a client's mistake as JSON.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { ClientGone } from '../../budget/byte-budget.js';
import { ValueError } from '../../description/value-error.js';
import { RequestProblem, statusOf } from '../error-response.js';
import { type AnswerCall, type RoutedCall, USUAL_ANSWER_BYTES } from '../http-context.js';
import type { CONTROL_CALLS } from './control-calls.js';
import { controlError, controlJson } from './control-response.js';
import { similarEntity } from './similar-entity.js';

export type ControlCallName = keyof typeof CONTROL_CALLS;

/** `answer` is the name of a call, or a function that refuses the request. */
export async function answerControl(
  answer: ControlCallName | AnswerCall,
  call: RoutedCall,
): Promise<Response> {
  try {
    if (typeof answer === 'function') return await answer(call);
    // A stream counts the memory of its blocks itself.
    if (answer !== 'streamEvents') await call.share.take(USUAL_ANSWER_BYTES);
    const { CONTROL_CALLS: calls } = await import('./control-calls.js');
    const answered = await calls[answer](call);
    return answered instanceof Response ? answered : controlJson(200, answered);
  } catch (error) {
    return (await refusal(error, call)) ?? fault(error, call);
  }
}

/** The answer to a client's mistake; undefined for any other error. */
async function refusal(error: unknown, call: RoutedCall): Promise<Response | undefined> {
  if (error instanceof ServiceBusError) {
    const { reason, message } = error;
    const missing = missingPath(error);
    const hint = missing === undefined ? undefined : await hintAt(missing, call);
    return controlError(statusOf(reason), message, { code: reason, ...(hint && { hint }) });
  }
  if (error instanceof RequestProblem) {
    return controlError(error.status, error.message, { headers: error.headers });
  }
  if (error instanceof ValueError) {
    const { message } = error;
    return controlError(400, `The body is not valid: ${message}${/[.?]$/.test(message) ? '' : '.'}`);
  }
  return undefined;
}

/** The path of the entity that is missing, which may be one to forward to. */
function missingPath({ reason, entityPath, data }: ServiceBusError): string | undefined {
  if (reason === 'entity-not-found') return entityPath;
  return reason === 'argument' && data.about === 'forwarding' ? String(data.value) : undefined;
}

/** The hint is left out if the emulator has failed meanwhile, so that the error is answered all the same. */
async function hintAt(entityPath: string, call: RoutedCall): Promise<string | undefined> {
  try {
    return await similarEntity(entityPath, call);
  } catch (error) {
    call.context.onFault(error);
    return undefined;
  }
}

function fault(error: unknown, { context }: RoutedCall): Response {
  if (error instanceof ClientGone) throw error;
  context.onFault(error);
  return controlError(500, 'The emulator failed to answer; its log says why.', { code: 'internal' });
}

export function refuseUnknownCall({ url }: RoutedCall): never {
  throw new RequestProblem(
    404,
    `There is no '${url.pathname.slice(0, 200)}'; GET /$jitney/v1/openapi.json lists the calls.`,
  );
}
