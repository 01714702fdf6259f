// The messages of a store of another service for a move: in the order of their numbers, page by page under locks, and deleted when they
// have arrived elsewhere.

import type { AmqpClient } from '../../client/amqp-client.js';
import type { MessageManager } from '../../client/message-manager.js';
import type { MessageReceiver, ReceivedMessage } from '../../client/message-receiver.js';
import { describeMessage, sequenceNumberOf } from '../../content/shown-message.js';
import { isOfKind } from '../../jitney-error.js';
import { presentMessages } from './present-messages.js';

export type LockedMessage = { readonly number: bigint; readonly content: Uint8Array };

type Peeked = LockedMessage & { readonly state: string; readonly sessionId: string };
type Receivers = Map<string, MessageReceiver | undefined>;

/** So few messages that they are moved before their locks end. */
const PAGE = 100;
const WAIT_MS = 5000;
/** The key of the only receiver of an entity without sessions. */
const WITHOUT_SESSION = '';

export class LockedPages {
  readonly #client: AmqpClient;
  readonly #path: string;
  /** Deletes the message of this number; false if it is not there any more. */
  readonly #deletions = new Map<bigint, () => Promise<boolean>>();
  #hasSessions: boolean | undefined;
  heldCount = 0;
  inBothCount = 0;

  constructor(client: AmqpClient, path: string) {
    this.#client = client;
    this.#path = path;
  }

  /** Ends at the first message that another receiver holds, so that all before the last yielded one have been yielded. */
  async *pages(after: bigint, interrupted: AbortSignal): AsyncGenerator<readonly LockedMessage[]> {
    const manager = await this.#client.openManager(this.#path);
    let receivers: Receivers = new Map();
    try {
      for await (const page of this.#peekPages(after)) {
        const locked = await this.#lock(page, { manager, receivers, interrupted });
        if (locked.length > 0) yield locked;
        if (locked.length < page.length) {
          this.heldCount += page.length - locked.length;
          return;
        }
        if (this.#hasSessions !== true) continue;
        await closeAll(receivers);
        receivers = new Map();
      }
    } finally {
      await closeAll(receivers);
    }
  }

  /** Deletes messages of the page that was yielded last. */
  async delete(numbers: readonly bigint[]): Promise<void> {
    const outcomes = await Promise.allSettled(
      numbers.map(async (number) => {
        if ((await this.#deletions.get(number)?.()) === false) this.inBothCount += 1;
        this.#deletions.delete(number);
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async *#peekPages(after: bigint): AsyncGenerator<readonly Peeked[]> {
    let page: Peeked[] = [];
    for await (const content of presentMessages(this.#client, this.#path, after)) {
      const { state = 'active', sessionId = '' } = describeMessage(content, 'peeked');
      page.push({ number: sequenceNumberOf(content), content, state, sessionId });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  /** The messages of the page up to the first one that cannot be locked. */
  async #lock(
    page: readonly Peeked[],
    work: {
      readonly manager: MessageManager;
      readonly receivers: Receivers;
      readonly interrupted: AbortSignal;
    },
  ): Promise<readonly LockedMessage[]> {
    const { manager, receivers } = work;
    const active = page.filter(({ state }) => state === 'active');
    const ids = new Set(page.filter(({ state }) => state !== 'scheduled').map(({ sessionId }) => sessionId));
    for (const id of ids) await this.#open(id, receivers);
    for (const [id, receiver] of receivers) {
      const wanted = active.filter(({ sessionId }) => this.#hasSessions !== true || sessionId === id);
      if (receiver !== undefined && wanted.length > 0) {
        await this.#receive(receiver, wanted, work.interrupted);
      }
    }
    const locked: LockedMessage[] = [];
    for (const message of page) {
      if (!(await this.#isDeletable(message, manager))) break;
      locked.push(message);
    }
    return locked;
  }

  /** Opens the receiver of the entity, or of a session of it; undefined if another one holds the session. */
  async #open(sessionId: string, receivers: Receivers): Promise<void> {
    if (this.#hasSessions !== true) {
      if (receivers.has(WITHOUT_SESSION)) return;
      try {
        const options = { mode: 'peek-lock', session: undefined } as const;
        receivers.set(WITHOUT_SESSION, await this.#client.openReceiver(this.#path, options));
        return;
      } catch (error) {
        if (!isOfKind(error, 'needs-session')) throw error;
        this.#hasSessions = true;
      }
    }
    try {
      const options = { mode: 'peek-lock', session: { id: sessionId } } as const;
      receivers.set(sessionId, await this.#client.openReceiver(this.#path, options));
    } catch (error) {
      if (!isOfKind(error, 'session-held')) throw error;
      receivers.set(sessionId, undefined);
    }
  }

  async #receive(
    receiver: MessageReceiver,
    wanted: readonly Peeked[],
    interrupted: AbortSignal,
  ): Promise<void> {
    const missing = new Set(wanted.map(({ number }) => number).filter((one) => !this.#deletions.has(one)));
    for (let count = -1; count !== 0 && missing.size > 0 && !interrupted.aborted; ) {
      count = 0;
      for await (const message of receiver.receive(missing.size, WAIT_MS, interrupted)) {
        count += 1;
        const number = sequenceNumberOf(message.content);
        missing.delete(number);
        this.#deletions.set(number, () => completed(receiver, message));
      }
    }
  }

  async #isDeletable(message: Peeked, manager: MessageManager): Promise<boolean> {
    const { number, state, sessionId } = message;
    if (state === 'scheduled') {
      this.#deletions.set(number, () => manager.cancelScheduled([number]));
      return true;
    }
    if (state !== 'deferred') return this.#deletions.has(number);
    const session = this.#hasSessions === true ? sessionId : undefined;
    const received = await manager.receiveDeferred([number], { mode: 'peek-lock', sessionId: session });
    const [one] = received ?? [];
    if (one === undefined) return false;
    this.#deletions.set(number, () => manager.complete([one.token], session).then(() => true));
    return true;
  }
}

async function completed(receiver: MessageReceiver, message: ReceivedMessage): Promise<boolean> {
  await receiver.complete(message);
  return true;
}

async function closeAll(receivers: Receivers): Promise<void> {
  for (const receiver of receivers.values()) {
    await receiver?.releaseAll();
    await receiver?.close();
  }
}
