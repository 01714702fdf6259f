// Resubmitting dead letters when the connection ends in the middle. The other tests of the command use a real service.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { runResubmit } from '../../src/cli/resubmit-command.js';
import type { AmqpClient } from '../../src/client/amqp-client.js';
import { encodeMessage } from '../../src/content/encode-message.js';
import { NO_PROPERTIES } from '../../src/content/message-parts.js';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => void process.off('unhandledRejection', note));

const PARTS = { properties: NO_PROPERTIES, applicationProperties: [], body: Buffer.from('a') };
const CONTENT = encodeMessage(PARTS, 0);

test('a lost connection fails the command once, although messages are under way', async () => {
  const lost = new Error('the connection is lost');
  const client = {
    openBrowser: async () => ({
      async *peek() {
        yield CONTENT;
        yield CONTENT;
      },
    }),
    openSender: async () => ({ send: () => Promise.reject(lost) }),
    openReceiver: async () => ({
      async *receive() {
        yield { content: CONTENT };
        await new Promise(setImmediate); // the rejected send is seen by now
        throw lost;
      },
      releaseAll: async () => {},
    }),
  } as unknown as AmqpClient;
  const resubmission = {
    ...{ path: 'orders/$DeadLetterQueue', source: 'orders', max: Number.POSITIVE_INFINITY, waitMs: 100 },
    ...{ hasNewIds: false, isJson: false },
  };
  const context = { print: async () => true, stderr: () => {}, now: () => 0 };
  await expect(runResubmit(client, resubmission, context)).rejects.toBe(lost);
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});
