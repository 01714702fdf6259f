// What the tests of `$management` stand in: an emulator with a queue, messages in it, locks whose links are gone, and requests.

import { expect } from 'vitest';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../../support/emulator-under-test.js';
import type { FrameChannel, ReceivedDelivery } from '../../support/frame-channel.js';
import { type Encoded, str, TRUE, uint } from '../../support/frame-encoder.js';
import {
  attachReceiver,
  attachSender,
  lockToken,
  openSession,
  receiveOne,
  sendPieces,
} from '../../support/frame-links.js';
import { dataSection, ReceivedMessage } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { sessionFields } from '../../support/session-client.js';
import { type Body, ManagementClient, messagesIn, type Reply } from './management-client.js';
import { peekBody, uuids } from './request-bodies.js';

export const QUEUE = 'orders';
export const SESSION_QUEUE = { queues: [`${QUEUE}?lockDuration=PT30S&requiresSession=true`] } as const;
export const LOCK_MS = 30_000;
const PIECE_BYTES = 60_000;

export type Received = {
  readonly token: Buffer;
  readonly sequenceNumber: number;
  readonly message: ReceivedMessage;
};

export class Surroundings {
  readonly emulator: EmulatorUnderTest;
  /** Of a connection with requests and receivers. */
  readonly session: FrameChannel;
  readonly #managers = new Map<string, ManagementClient>();
  #handle = 10;
  readonly #senders = new Map<string, FrameChannel>();

  private constructor(emulator: EmulatorUnderTest, session: FrameChannel) {
    this.emulator = emulator;
    this.session = session;
  }

  static async open(options: Partial<UnderTestOptions> = {}): Promise<Surroundings> {
    const queues = [`${QUEUE}?lockDuration=PT30S`];
    const emulator = await openEmulatorUnderTest({ queues, ...options });
    return Surroundings.around(emulator);
  }

  /** Stands in an emulator that has the queue. */
  static async around(emulator: EmulatorUnderTest): Promise<Surroundings> {
    return new Surroundings(emulator, await openSession(emulator.connect()));
  }

  async close(): Promise<void> {
    expect(this.emulator.faults).toEqual([]);
    await this.emulator.stop();
  }

  get now(): number {
    return this.emulator.clock.now();
  }

  advance(ms: number): void {
    this.emulator.clock.advance(ms);
  }

  /** Asks the node of an entity, which is the queue unless named. */
  async ask(operation: string, body: Body | Encoded, { path = QUEUE, properties = {} } = {}): Promise<Reply> {
    return (await this.manager(path)).ask(operation, body, properties);
  }

  async manager(path = QUEUE): Promise<ManagementClient> {
    const known = this.#managers.get(path);
    if (known !== undefined) return known;
    const opened = await ManagementClient.open(this.session, path, { handle: this.#takeHandles(2) });
    this.#managers.set(path, opened);
    return opened;
  }

  /** Resolves when all are accepted. */
  send(...messages: readonly (string | Buffer)[]): Promise<void> {
    return this.sendTo(QUEUE, ...messages);
  }

  async sendTo(path: string, ...messages: readonly (string | Buffer)[]): Promise<void> {
    const sender = this.#senders.get(path) ?? (await this.#openSender(path));
    this.#senders.set(path, sender);
    for (const message of messages) {
      const outcome = await sendPieces(sender, 0, {
        pieces: piecesOf(typeof message === 'string' ? dataSection(message) : message),
        deliveryId: sender.sentTransferCount,
      });
      expect(notation(outcome.field('state'))).toBe('accepted[]');
    }
  }

  /** Locks the next message, and closes the link that it came on. */
  async lock(path = QUEUE): Promise<Received> {
    const handle = await this.#attach(path, false);
    const { tag, payload } = await receiveOne(this.session, handle);
    await this.#detach(handle);
    return receivedOf({ tag, payload });
  }

  /** Receives the next message for good. */
  async receive(path = QUEUE): Promise<ReceivedMessage> {
    const handle = await this.#attach(path, true);
    const { payload } = await receiveOne(this.session, handle);
    await this.#detach(handle);
    return new ReceivedMessage(payload);
  }

  /** Accepts a session on the connection of the requests, which holds it then. */
  async hold(sessionId: string): Promise<void> {
    this.session.send('attach', sessionFields(this.#takeHandles(1), sessionId, { path: QUEUE }));
    const answer = await this.session.take('attach');
    if (answer.field('source')?.type !== 'described') throw new Error(`not accepted: ${answer.text}`);
  }

  /** Settles by token; must succeed. */
  async settle(
    status: string,
    token: Buffer,
    { path = QUEUE, fields = {} }: { path?: string; fields?: Body } = {},
  ): Promise<void> {
    const body = { 'lock-tokens': uuids(token), 'disposition-status': str(status), ...fields };
    expect(await this.ask('update-disposition', body, { path })).toMatchObject({ status: 'int 200' });
  }

  /** Sends a message and defers it; gives back its number. */
  async defer(text: string): Promise<number> {
    await this.send(text);
    const { token, sequenceNumber } = await this.lock();
    await this.settle('defered', token);
    return sequenceNumber;
  }

  /** What a peek from the first number on shows. */
  async peek(path = QUEUE): Promise<readonly ReceivedMessage[]> {
    const reply = await this.ask('peek-message', peekBody(), { path });
    return reply.status === 'int 204' ? [] : messagesIn(reply).map(({ message }) => message);
  }

  /** Each message that is there as `text state number`. */
  async list(path = QUEUE): Promise<string[]> {
    return (await this.peek(path)).map(
      (message) => `${textOf(message)} ${stateOf(message)} ${sequenceNumberOf(message)}`,
    );
  }

  #takeHandles(count: number): number {
    const first = this.#handle;
    this.#handle += count;
    return first;
  }

  async #openSender(path: string): Promise<FrameChannel> {
    const session = await openSession(this.emulator.connect());
    await attachSender(session, 0, path);
    return session;
  }

  async #attach(path: string, isSettled: boolean): Promise<number> {
    const handle = this.#takeHandles(1);
    await attachReceiver(this.session, handle, { path, isSettled });
    return handle;
  }

  async #detach(handle: number): Promise<void> {
    this.session.send('detach', { handle: uint(handle), closed: TRUE });
    await this.session.take('detach');
  }
}

export function receivedOf({ tag, payload }: Pick<ReceivedDelivery, 'tag' | 'payload'>): Received {
  const message = new ReceivedMessage(payload);
  return { token: lockToken(tag), sequenceNumber: sequenceNumberOf(message), message };
}

/** As many as fit into a frame each. */
function piecesOf(message: Buffer): Buffer[] {
  const count = Math.ceil(message.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    message.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  );
}

export function sequenceNumberOf(message: ReceivedMessage): number {
  return Number(message.entry('messageAnnotations', 'x-opt-sequence-number')?.value);
}

export function stateOf(message: ReceivedMessage): string {
  const state = notation(message.entry('messageAnnotations', 'x-opt-message-state'));
  return { 'int 0': 'active', 'int 1': 'deferred', 'int 2': 'scheduled' }[state] ?? state;
}

export function textOf(message: ReceivedMessage): string {
  const body = message.section('data')?.value;
  return body?.type === 'binary' ? body.value.toString() : notation(body);
}
