// Sending and receiving over HTTP: from a request to its answer.

import { ServiceBusError } from '../../broker/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import { type Asked, requestError, runtimeError } from '../error-response.js';
import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { RequestProblem } from '../request-problem.js';
import { receiveMessage } from './receive-message.js';
import type { RuntimeCall } from './runtime-call.js';
import { sendMessages } from './send-messages.js';
import { settleMessage } from './settle-message.js';

export async function answerRuntime(
  call: HttpCall,
  asked: RuntimeCall,
  context: HttpContext,
): Promise<Response> {
  try {
    return await answer(asked, call, context);
  } catch (error) {
    return refusal(error, 'entityPath' in asked ? asked.entityPath : call.path.join('/'), call.asked);
  }
}

async function answer(asked: RuntimeCall, call: HttpCall, context: HttpContext): Promise<Response> {
  switch (asked.kind) {
    case 'send':
      return sendMessages(call, asked.entityPath, context);
    case 'receive':
      return receiveMessage(call, asked, context);
    case 'settle':
      return settleMessage(asked, context.engine);
    case 'no-token':
      throw noToken(asked.token);
    case 'no-call':
      throw noCall(call.path);
    default:
      return asked satisfies never;
  }
}

/** Rethrows what is no mistake of the client's. */
function refusal(error: unknown, entityPath: string, whoAsked: Asked): Response {
  const asked = { ...whoAsked, entityPath };
  if (error instanceof ServiceBusError) return runtimeError(error, asked, entityPath);
  if (error instanceof RequestProblem) return requestError(error.status, error.message, asked, error.headers);
  if (error instanceof ValueError) return requestError(400, `${error.message}.`, asked);
  throw error;
}

function noToken(token: string): RequestProblem {
  const text = `There is no message with the lock token '${token.slice(0, 100)}': it is no GUID. Use the Location of the answer that gave you the message.`;
  return new RequestProblem(404, text);
}

function noCall(path: readonly string[]): RequestProblem {
  const name = path.join('/').slice(0, 300);
  const text = `Nothing can be posted to '/${name}': send with POST /<entity>/messages, receive with POST /<entity>/messages/head.`;
  return new RequestProblem(405, text, { allow: 'GET, PUT, DELETE' });
}
