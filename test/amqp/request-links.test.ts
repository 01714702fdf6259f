// Which link the answer to a request comes on: clients name their links, targets and reply-tos in ways of their own.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { type Encoded, map, str, sym } from '../support/frame-encoder.js';
import { receiverFields, senderFields } from '../support/frame-fields.js';
import { beginSession, giveCredit, openClient, writeMessage } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import {
  applicationProperties,
  propertiesSection,
  ReceivedMessage,
  section,
} from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';

const TOKEN =
  'SharedAccessSignature sr=sb%3A%2F%2Fjitney&sig=c2lnbmVk&se=4102444800&skn=RootManageSharedAccessKey';
const RENEW_LOCK = str('com.microsoft:renew-lock');

/** A link for requests to a node and one for its answers, on a session of their own. */
type Pair = { readonly session: FrameChannel; readonly node: string; readonly replyTo: string };

let emulator: EmulatorUnderTest;
beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const connect = () => openClient(emulator.connect());

async function openPair(
  session: FrameChannel,
  node: string,
  replyTo: string,
  target = replyTo,
): Promise<Pair> {
  session.send('attach', senderFields(0, { target: composite('target', { address: str(node) }) }));
  await session.take('attach');
  const source = composite('source', { address: str(node) });
  session.send(
    'attach',
    receiverFields(1, { source, target: composite('target', { address: str(target) }) }),
  );
  await session.take('attach');
  giveCredit(session, 1, 100);
  return { session, node, replyTo };
}

/** The status and correlation id of the answer that comes on the pair. */
async function ask(
  { session, node, replyTo }: Pair,
  id: string,
  operation: Encoded = RENEW_LOCK,
): Promise<string> {
  const toCbs = {
    operation: str('put-token'),
    type: str('servicebus.windows.net:sastoken'),
    name: str('sb://jitney/q'),
  };
  writeMessage(
    session,
    0,
    Buffer.concat([
      propertiesSection({ messageId: str(id), replyTo: str(replyTo) }),
      applicationProperties(node === '$cbs' ? toCbs : { operation }),
      section('value', node === '$cbs' ? str(TOKEN) : map([])),
    ]),
    { settled: true },
  );
  const answer = new ReceivedMessage((await session.takeDelivery()).payload);
  const status = notation(answer.entry('applicationProperties', 'statusCode'));
  return `${status} to ${notation(answer.property('correlationId'))}`;
}

test('two pairs of links to one node, as the JavaScript SDK opens them, hear their own answers', async () => {
  const client = await connect();
  const older = await openPair(await beginSession(client, 0), 'q/$management', 'the older');
  const newer = await openPair(await beginSession(client, 1), 'q/$management', 'the newer');
  for (const pair of [older, newer, older]) {
    expect(await ask(pair, pair.replyTo)).toBe(`int 400 to "${pair.replyTo}"`);
  }
});

test('an answer whose reply-to names no link, as of Go and Python, comes on the one from the same node', async () => {
  const client = await connect();
  const cbs = await openPair(await beginSession(client, 0), '$cbs', 'nobody', 'of cbs');
  const main = await openPair(await beginSession(client, 1), 'q/$management', 'nobody', 'of the queue');
  const dead = await openPair(
    await beginSession(client, 2),
    'q/$DeadLetterQueue/$management',
    'nobody',
    'of the dead',
  );
  expect(await ask(dead, 'dead')).toBe('int 400 to "dead"');
  expect(await ask(cbs, 'cbs')).toBe('int 202 to "cbs"');
  expect(await ask(main, 'main')).toBe('int 400 to "main"');
});

test('two connections whose reply-tos and ids are the same, as of Java, hear their own answers', async () => {
  const [one, other] = [await beginSession(await connect()), await beginSession(await connect())];
  const pairs = [await openPair(one, '$cbs', 'cbs-reply'), await openPair(other, '$cbs', 'cbs-reply')];
  for (const pair of pairs) expect(await ask(pair, '1')).toBe('int 202 to "1"');
  for (const session of [one, other]) await session.expectNothing();
});

test('an operation may be named by a symbol, as Python names it', async () => {
  const pair = await openPair(await beginSession(await connect()), 'q/$management', 'replies');
  // It was understood: 400 says that there are no lock tokens, 501 would say that there is no such operation.
  expect(await ask(pair, '1', sym('com.microsoft:renew-lock'))).toBe('int 400 to "1"');
});
