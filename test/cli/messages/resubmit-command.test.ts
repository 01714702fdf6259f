// Resubmitting dead letters when the connection ends in the middle. The other tests of the command use a real service.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { runResubmit } from '../../../src/cli/messages/resubmit-command.js';
import type { AmqpClient } from '../../../src/client/amqp-client.js';
import { encodeMessage } from '../../../src/content/encode-message.js';
import { NO_PROPERTIES } from '../../../src/content/message-parts.js';
import { JitneyError } from '../../../src/jitney-error.js';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => void process.off('unhandledRejection', note));

const PARTS = { properties: NO_PROPERTIES, applicationProperties: [], body: Buffer.from('a') };
const CONTENT = encodeMessage(PARTS, 0);

/** A client of a dead-letter queue with these links. */
function clientWith(sender: object, receiver: object): AmqpClient {
  return {
    finishWithin: () => {},
    openBrowser: async () => ({
      async *peek() {
        yield CONTENT;
        yield CONTENT;
      },
    }),
    openSender: async () => sender,
    openReceiver: async () => ({ releaseAll: async () => {}, ...receiver }),
  } as unknown as AmqpClient;
}

function run(client: AmqpClient, interrupted = new AbortController().signal) {
  const resubmission = {
    path: 'orders/$DeadLetterQueue',
    source: 'orders',
    max: Number.POSITIVE_INFINITY,
    waitMs: 100,
    hasNewIds: false,
    isJson: false,
  };
  const written = { stderr: '' };
  const stderr = (text: string) => {
    written.stderr += text;
  };
  const ended = runResubmit(client, resubmission, {
    print: async () => true,
    stderr,
    now: () => 0,
    interrupted,
  });
  return { ended, written };
}

test('a lost connection fails the command once, although messages are under way', async () => {
  const lost = new JitneyError('connection-lost', 'the connection is lost');
  const client = clientWith(
    { send: () => Promise.reject(lost) },
    {
      async *receive() {
        yield { content: CONTENT };
        await new Promise(setImmediate); // the rejected send is seen by now
        throw lost;
      },
    },
  );
  const { ended, written } = run(client);
  await expect(ended).rejects.toBe(lost);
  expect(written.stderr).toContain('1 more dead letter may now be in both places');
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});

test('a dead letter whose copy was sent and that is not completed in time is counted as in both places', async () => {
  const interrupted = new JitneyError('interrupted', 'Interrupted');
  const refused = new JitneyError('refused', 'the service is full');
  const outcomes = [Promise.resolve(), Promise.resolve(), Promise.reject(refused)];
  const completions = [Promise.resolve(), Promise.reject(interrupted)];
  const client = clientWith(
    { send: () => outcomes.shift() },
    {
      async *receive() {
        for (let index = 0; index < 3; index += 1) yield { content: CONTENT };
      },
      complete: () => completions.shift(),
    },
  );
  const { ended, written } = run(client);
  await expect(ended).rejects.toBe(interrupted);
  expect(written.stderr).toBe(
    'Sent 1 dead letter to orders\n' +
      '1 more dead letter may now be in both places: look into orders and orders/$DeadLetterQueue\n',
  );
});
