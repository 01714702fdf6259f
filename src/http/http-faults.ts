// Carries out the faults that hit requests to send, receive, settle and administer over HTTP.

import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { startRealTimer } from '../engine/timer.js';
import type { FaultOperation } from '../steer/fault.js';
import { wireOf } from '../steer/fault-conditions.js';
import { describeEffect } from '../steer/fault-text.js';
import { RequestProblem, requestError } from './error-response.js';
import type { AnswerCall, RoutedCall } from './http-context.js';
import { requestOrigin } from './note-refusal.js';

const STATUS_TEXT = 'The request failed because of a fault that was added to the emulator.';

/** Stands for no answer: the connection is cut. */
export class CutOff extends Response {}

/** Returns the answer to the request, or the effect of a fault. A request that gets no answer waits until its client goes. */
export async function answerFaultable(
  answer: AnswerCall,
  call: RoutedCall,
  operation: FaultOperation | undefined,
): Promise<Response> {
  const { faults, activity } = call.context;
  if (operation === undefined || faults?.isArmed !== true) return answer(call);
  const path = pathOf(call);
  const fired = faults.find({ operation, path, protocol: 'http' });
  if (fired === undefined) return answer(call);
  const { faultId: fault, effect, delayMs } = fired;
  const words = describeEffect(effect, delayMs);
  activity?.add({ kind: 'fault-fired', path, operation, effect: words, fault }, requestOrigin(call.request));
  if (delayMs > 0) await pause(call, delayMs);
  switch (effect.kind) {
    case 'error':
    case 'detach':
      return failed(call, wireOf(effect.condition).status, effect.text ?? wireOf(effect.condition).text);
    case 'status':
      return failed(call, effect.status, effect.text ?? STATUS_TEXT);
    case 'close':
    case 'reset':
      return new CutOff();
    case 'silence':
      return unanswered(call);
    case 'lose-answer':
      await carryOut(answer, call);
      return unanswered(call);
    case 'delay':
    case 'deliver-twice':
    case 'end-lock':
      return answer(call);
  }
}

/** Carries the request out without answering, not even with a refusal. */
async function carryOut(answer: AnswerCall, call: RoutedCall): Promise<void> {
  try {
    await answer(call);
  } catch (error) {
    if (!(error instanceof ServiceBusError) && !(error instanceof RequestProblem)) throw error;
  }
}

/** The answer of a fault. A busy server also says when to try again. */
function failed({ errorContext, ...call }: RoutedCall, status: number, text: string): Response {
  const headers = status === 429 || status === 503 ? { 'retry-after': '2' } : {};
  const path = pathOf(call);
  return requestError(
    status,
    text,
    { ...errorContext, ...(path === '' ? {} : { entityPath: path }) },
    headers,
  );
}

function pathOf({ names, path }: Pick<RoutedCall, 'names' | 'path'>): string {
  if (names.entity !== '') return names.entity;
  if (names.topic === '') return path[0]?.startsWith('$') === true ? '' : path.join('/');
  return names.subscription === '' ? names.topic : `${names.topic}/Subscriptions/${names.subscription}`;
}

async function pause(call: RoutedCall, delayMs: number): Promise<void> {
  const { startTimer = startRealTimer } = call.context;
  let stopTimer = () => {};
  const passed = new Promise<void>((resolve) => {
    stopTimer = startTimer(delayMs, resolve);
  });
  await Promise.race([passed, clientGone(call)]);
  stopTimer();
}

async function unanswered(call: RoutedCall): Promise<Response> {
  await clientGone(call);
  return new CutOff();
}

/** Resolves when the client has gone, at once if it is gone already. */
function clientGone({ request: { signal } }: RoutedCall): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
