// Sending and receiving over HTTP: from a request to its answer.

import { ServiceBusError } from '../../broker/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import { requestError, runtimeError } from '../error-response.js';
import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { receiveMessage } from './receive-message.js';
import { type RuntimeCall, readRuntimeCall } from './runtime-call.js';
import { sendMessages } from './send-messages.js';
import { settleMessage } from './settle-message.js';

/** Undefined: this is no call to send or receive. */
export async function answerRuntime(call: HttpCall, context: HttpContext): Promise<Response | undefined> {
  const asked = readRuntimeCall(call.request, call.path);
  if (asked === undefined) return undefined;
  try {
    return await answer(asked, call, context);
  } catch (error) {
    if (error instanceof ServiceBusError) {
      const entityPath = 'entityPath' in asked ? asked.entityPath : call.path.join('/');
      return runtimeError(error, call.asked, entityPath);
    }
    if (error instanceof ValueError) return requestError(400, `${error.message}.`, call.asked);
    throw error;
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
      return refuseToken(asked.token, call);
    case 'no-call':
      return refuseCall(call);
  }
}

function refuseToken(token: string, { asked }: HttpCall): Response {
  const text = `There is no message with the lock token '${token.slice(0, 100)}': it is no GUID. Use the Location of the answer that gave you the message.`;
  return requestError(404, text, asked);
}

function refuseCall({ path, asked }: HttpCall): Response {
  const name = path.join('/').slice(0, 300);
  const text = `Nothing can be posted to '/${name}': send with POST /<entity>/messages, receive with POST /<entity>/messages/head.`;
  return requestError(405, text, asked, { allow: 'GET, PUT, DELETE' });
}
