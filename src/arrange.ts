// Sends and receives in the same process without a client, so that a test can arrange what its program finds and take what it has sent.

import type { Result } from './broker/contract/result.js';
import { ByteBudget } from './budget/byte-budget.js';
import { plainContent } from './content/shown-message.js';
import type { Engine } from './engine/engine.js';
import { startRealTimer } from './engine/timer.js';
import type { Arrange } from './inspect/look-context.js';

/** The program that records and dead letters name. */
const PROGRAM = 'test';

export function arrange(engine: Engine): Arrange {
  return {
    async send(entityPath, given) {
      const messages = await readGiven(given);
      return new Promise((resolve, reject) => {
        const completed = (_tag: number, result: Result) => {
          if (result.kind === 'sent') resolve(result.sequenceNumbers);
          else
            reject(result.kind === 'failed' ? result.error : new Error(`a send answered '${result.kind}'`));
        };
        const origin = { connectionId: undefined, linkId: undefined, program: PROGRAM };
        const requester = { origin, completed, faulted: reject };
        engine.submit({ kind: 'send', entityPath, messages }, requester, 0);
      });
    },
    async receive(entityPath, waitMs) {
      const { receiveHead } = await import('./http/runtime/head-receiver.js');
      const received = await receiveHead(engine, {
        entityPath,
        receiveMode: 'receive-and-delete',
        waitMs,
        startTimer: startRealTimer,
        signal: new AbortController().signal,
        share: new ByteBudget().open(() => {}),
        client: PROGRAM,
      });
      if (received === undefined) return undefined;
      const { sequenceNumber, enqueuedTime, deliveryCount } = received.delivery.properties;
      return plainContent(received.content, {
        sequenceNumber,
        enqueuedTime: new Date(enqueuedTime),
        deliveryCount,
      });
    },
  };
}

/** Loads what reads messages of the control interface: zod is slow to load, and most programs send with a client. */
async function readGiven(given: readonly unknown[]) {
  const [{ checkShape, sentMessageSchema }, { newMessage }] = await Promise.all([
    import('./http/control/control-requests.js'),
    import('./http/control/message-answers.js'),
  ]);
  return given.map((message, index) => {
    const what = given.length === 1 ? 'The message' : `Message ${index}`;
    try {
      return newMessage(checkShape(asJson(message), sentMessageSchema, what), Date.now());
    } catch (error) {
      throw new TypeError((error as Error).message, { cause: error });
    }
  });
}

/** Through JSON, so that a program may give a Date, and with bytes as Base64. */
function asJson(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return message;
  const { body, ...others } = message as { readonly body?: unknown };
  const isBytes = body instanceof Uint8Array;
  const given = isBytes ? { ...others, bodyBase64: Buffer.from(body).toString('base64') } : message;
  return JSON.parse(JSON.stringify(given));
}
