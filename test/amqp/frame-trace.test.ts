// The log at trace: each frame of a connection, in both directions, from whichever writer it came, and no secret.

import type { Receiver } from 'rhea';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FrameTrace } from '../../src/amqp/frame-trace.js';
import type { TracedFrame } from '../../src/watch/traced-frame.js';
import { TokenClient } from '../security/support/token-client.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { next, rheaConnect, until } from '../support/rhea-client.js';

const KEY = 'the-key-of-a-policy';
const BODY = 'the-body-of-a-message';
const TOKEN = 'SharedAccessSignature sr=sb%3a%2f%2fx&sig=the-signature&se=9999999999&skn=n';

let emulator: EmulatorUnderTest;
let lines: string[];
let frames: TracedFrame[];

beforeEach(async () => {
  lines = [];
  frames = [];
  emulator = await openEmulatorUnderTest({
    queues: ['orders'],
    onFrame: (text, frame) => {
      lines.push(text);
      frames.push(frame);
    },
  });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** Sends a message, receives and completes it, and closes. */
async function converse(): Promise<void> {
  const connection = rheaConnect(emulator.connect(), { username: 'sender', password: KEY });
  const sender = connection.open_sender('orders');
  await next(sender, 'sendable');
  sender.send({ body: BODY });
  await next(sender, 'accepted');
  const receiver: Receiver = connection.open_receiver({
    source: 'orders',
    autoaccept: false,
    credit_window: 1,
  });
  const { delivery } = await next(receiver, 'message');
  delivery?.accept();
  await until(() => frames.at(-1)?.performative === 'disposition', 'the delivery is settled');
  connection.close();
  await next(connection, 'connection_close');
}

function performativesOf(direction: TracedFrame['direction']): (string | undefined)[] {
  return frames.filter((frame) => frame.direction === direction).map(({ performative }) => performative);
}

describe('a conversation', () => {
  beforeEach(converse);

  test('is shown frame by frame, as the client sent it', () => {
    expect(performativesOf('received')).toEqual([
      ...[undefined, 'sasl-init', undefined, 'open', 'begin', 'attach', 'transfer'],
      ...['attach', 'flow', 'flow', 'disposition', 'close'],
    ]);
  });

  test('is shown as it was answered, with the frames that are written by hand', () => {
    expect(performativesOf('sent')).toEqual([
      ...[undefined, 'sasl-mechanisms', 'sasl-outcome', undefined, 'open', 'begin', 'attach', 'flow'],
      ...['disposition', 'attach', 'transfer', 'close'],
    ]);
  });

  test('names connection, channel, fields and the size of a payload', () => {
    expect(lines.find((line) => line.includes('sasl-init'))).toBe(
      'received    1 sasl-init mechanism=PLAIN initial-response=(27 bytes)',
    );
    expect(lines.find((line) => /received .* attach .*role=receiver/.test(line))).toMatch(
      /^received {4}1\/0 attach name=\S+ handle=1 role=receiver .*source=orders/,
    );
    const delivered = frames.find(
      ({ direction, performative }) => direction === 'sent' && performative === 'transfer',
    );
    expect(delivered?.payloadBytes).toBeGreaterThan(BODY.length);
    expect(lines.find((line) => /^sent .* transfer/.test(line))).toMatch(
      new RegExp(
        `^sent {8}1/0 transfer handle=1 .*delivery-tag=[0-9a-f]{8}\\.\\.\\. .* ${delivered?.payloadBytes} bytes$`,
      ),
    );
  });

  test('shows neither the key nor the body', () => {
    const all = JSON.stringify([lines, frames]);
    for (const secret of [KEY, BODY, Buffer.from(KEY).toString('base64')]) expect(all).not.toContain(secret);
  });
});

test('a token that is put to $cbs is not shown, nor is the request that carries it', async () => {
  const client = new TokenClient(rheaConnect(emulator.connect()));
  expect((await client.put(TOKEN)).status).toBe(202);
  expect(performativesOf('received').filter((performative) => performative === 'transfer')).toHaveLength(1);
  for (const line of lines) expect(line).not.toMatch(/Signature|sig=|the-signature|put-token/);
  client.connection.close();
});

test('each connection has its own number, which is that of its activities', async () => {
  await converse();
  const second = rheaConnect(emulator.connect());
  await until(() => frames.at(-1)?.performative === 'open', 'the second connection is open');
  expect(frames.at(-1)?.connectionId).toBe(2);
  second.close();
});

describe('bytes', () => {
  const HEADER = Buffer.from('414d515000010000', 'hex');
  const EMPTY_FRAME = Buffer.from('0000000802000000', 'hex');
  const CLOSE = Buffer.from('0000000c0200000000531845', 'hex');

  function linesOf(...chunks: readonly Buffer[]): string[] {
    const shown: string[] = [];
    const trace = new FrameTrace(4, (text) => shown.push(text));
    for (const chunk of chunks) trace.received(chunk);
    return shown;
  }

  test('form the same frames however they are split', () => {
    const all = Buffer.concat([HEADER, EMPTY_FRAME, CLOSE, HEADER]);
    const expected = [
      'received    4 protocol header AMQP 1.0.0',
      'received    4/0 empty frame',
      'received    4/0 close',
      'received    4 protocol header AMQP 1.0.0',
    ];
    expect(linesOf(all)).toEqual(expected);
    expect(linesOf(...[...all].map((byte) => Buffer.from([byte])))).toEqual(expected);
  });

  test.each([
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n')],
    ['a frame that ends early', Buffer.from('0000000b02000000005318', 'hex')],
    ['a frame without a performative', Buffer.from('0000000a020000004141', 'hex')],
    ['a frame with a field of a wrong type', Buffer.from('000000110200000000531ac00501a10178', 'hex')],
  ])('that are %s are reported once', (_, bytes) => {
    const shown = linesOf(HEADER, bytes, CLOSE, bytes);
    expect(shown).toEqual(['received    4 protocol header AMQP 1.0.0', expect.stringContaining('no frame')]);
  });
});
