// POST and DELETE .../messages/head: the next message, under a lock or for good; it may be waited for.

import type { ReceiveMode } from '../../broker/command.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import { shown, ValueError } from '../../description/value-error.js';
import { afterRealTime } from '../../engine/after.js';
import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { receiveHead } from './head-receiver.js';
import { answerMessage } from './message-answer.js';

const SECOND_MS = 1000;
const DEFAULT_WAIT_S = 60;
/** Whoever wants to wait longer is told that there was none, and asks again. */
const LONGEST_WAIT_S = 600;
const SECONDS = /^\d+(?:\.\d+)?$/;

export type Head = { readonly entityPath: string; readonly receiveMode: ReceiveMode };

/** Throws a ServiceBusError or a ValueError. */
export async function receiveMessage(
  { request, url }: HttpCall,
  { entityPath, receiveMode }: Head,
  { engine, after = afterRealTime }: HttpContext,
): Promise<Response> {
  const waitMs = readWait(url);
  const { signal } = request;
  const received = await receiveHead(engine, { entityPath, receiveMode, waitMs, after, signal }).catch(
    (cause: unknown) => {
      throw explained(cause, entityPath);
    },
  );
  if (received === undefined) return new Response(null, { status: 204 });
  return answerMessage(received, messagesUrl(url));
}

function readWait({ searchParams }: URL): number {
  const given = searchParams.get('timeout');
  if (given === null || given === '') return DEFAULT_WAIT_S * SECOND_MS;
  if (!SECONDS.test(given)) {
    throw new ValueError(`timeout must be a number of seconds, 0 or more, not ${shown(given)}`);
  }
  return Math.min(Number(given), LONGEST_WAIT_S) * SECOND_MS;
}

/** As the client calls us: azure-sb looks for the host by which it knows us. */
function messagesUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(/\/head\/?$/i, '')}`;
}

/** RCV-10 in words that help here: there is no way to accept a session over HTTP. */
function explained(cause: unknown, entityPath: string): unknown {
  if (!(cause instanceof ServiceBusError) || cause.data.about !== 'requires-sessions') return cause;
  const text =
    'It is not possible for an entity that requires sessions to create a non-sessionful message receiver. ' +
    `Over HTTP there are no sessions: receive from '${entityPath}' over AMQP, with an SDK.`;
  return new ServiceBusError(cause.reason, text, { ...cause.data, entityPath });
}
