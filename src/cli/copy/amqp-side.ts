// Azure, or any other service, as a side of a copy: messages are peeked and sent over AMQP.

import { createHash, randomUUID } from 'node:crypto';
import type { AdminClient } from '../../client/admin-client.js';
import type { AmqpClient } from '../../client/amqp-client.js';
import type { MessageManager } from '../../client/message-manager.js';
import type { MessageSender } from '../../client/message-sender.js';
import { readImported } from '../../content/imported-message.js';
import { encodeResent, WITHOUT_REASONS } from '../../content/resent-message.js';
import { describeMessage } from '../../content/shown-message.js';
import { isOfKind } from '../../jitney-error.js';
import { type SelectedMessage, selectMessages } from '../manage/selected-messages.js';
import { takeMessages } from '../manage/take-messages.js';
import type { CopyNotes } from './copy-notes.js';
import type {
  CopiedStore,
  CopyDestination,
  CopySource,
  Marks,
  MessageToCopy,
  RefusedPut,
  SessionState,
} from './copy-side.js';
import { LockedPages } from './locked-pages.js';
import { presentMessages } from './present-messages.js';

const DEAD_LETTERS = '/$DeadLetterQueue';
const PAGE = 100;

export class AmqpSource implements CopySource {
  readonly #client: AmqpClient;
  readonly #admin: AdminClient;
  readonly #interrupted: AbortSignal;
  readonly left = { heldCount: 0, inBothCount: 0, stateCount: 0 };
  /** The messages of the store that is moved now. */
  #locked: { readonly path: string; readonly pages: LockedPages } | undefined;

  constructor(client: AmqpClient, admin: AdminClient, interrupted: AbortSignal) {
    this.#client = client;
    this.#admin = admin;
    this.#interrupted = interrupted;
  }

  get address(): string {
    return this.#admin.address;
  }

  async stores(): Promise<readonly CopiedStore[]> {
    const stores: CopiedStore[] = [];
    const add = (path: string, owner: string, main: Pick<CopiedStore, 'count' | 'hasSessions'>) => {
      stores.push({ path, owner, ...main });
      stores.push({ path: path + DEAD_LETTERS, owner, count: 0, hasSessions: false });
    };
    for await (const { description, messageCount: count } of this.#admin.listQueues()) {
      add(description.name, description.name, { count, hasSessions: description.requiresSession });
    }
    for await (const { description: topic } of this.#admin.listTopics()) {
      stores.push({ path: topic.name, owner: topic.name, count: 0, hasSessions: false });
      for await (const { description, messageCount: count } of this.#admin.listSubscriptions(topic.name)) {
        const path = `${topic.name}/Subscriptions/${description.name}`;
        add(path, topic.name, { count, hasSessions: description.requiresSession });
      }
    }
    return stores;
  }

  async *messages(path: string, after: number, isMove: boolean): AsyncGenerator<readonly MessageToCopy[]> {
    if (!isMove) {
      yield* this.#peeked(path, after);
      return;
    }
    const pages = new LockedPages(this.#client, path);
    this.#locked = { path, pages };
    try {
      for await (const page of pages.pages(BigInt(after), this.#interrupted)) {
        yield page.map(({ content }) => copied(content));
      }
    } finally {
      this.#locked = undefined;
      this.left.heldCount += pages.heldCount;
      this.left.inBothCount += pages.inBothCount;
    }
  }

  async *#peeked(path: string, after: number): AsyncGenerator<readonly MessageToCopy[]> {
    let page: MessageToCopy[] = [];
    for await (const content of presentMessages(this.#client, path, BigInt(after))) {
      page.push(copied(content));
      if (page.length === PAGE) {
        yield page;
        page = [];
      }
    }
    if (page.length > 0) yield page;
  }

  async *sessionStates(path: string): AsyncGenerator<SessionState> {
    const manager = await this.#client.openManager(path);
    for await (const sessionId of manager.sessionsWithState()) {
      const state = await inSession(this.#client, { path, sessionId }, () =>
        manager.sessionState(sessionId),
      ).catch((error: unknown) => {
        if (!isOfKind(error, 'session-held')) throw error;
        this.left.stateCount += 1;
        return undefined;
      });
      if (state !== undefined) yield { sessionId, stateBase64: Buffer.from(state).toString('base64') };
    }
  }

  async delete(path: string, sequenceNumbers: readonly number[]): Promise<void> {
    const numbers = sequenceNumbers.map(BigInt);
    if (this.#locked?.path === path) {
      await this.#locked.pages.delete(numbers);
      return;
    }
    // Messages that an earlier run has brought.
    const states = ['active', 'scheduled', 'deferred'] as const;
    const selection = { states, numbers, filter: undefined, enqueuedBefore: undefined };
    const selected: SelectedMessage[] = [];
    for await (const one of selectMessages(this.#client, path, selection)) selected.push(one);
    const tally = { done: 0, inBoth: 0, gone: 0, held: 0 };
    await takeMessages(
      {
        client: this.#client,
        path,
        accept: undefined,
        isSelective: false,
        tally,
        interrupted: this.#interrupted,
        onProgress: () => {},
      },
      selected,
    );
    this.left.inBothCount += tally.held + tally.gone;
  }

  async close(): Promise<void> {
    this.#admin.close();
    await this.#client.close();
  }
}

/** Holds a session while this is done. Throws a JitneyError of kind `session-held` if another receiver holds it. */
async function inSession<T>(
  client: AmqpClient,
  { path, sessionId }: { readonly path: string; readonly sessionId: string },
  act: () => Promise<T>,
): Promise<T> {
  const receiver = await client.openReceiver(path, { mode: 'peek-lock', session: { id: sessionId } });
  try {
    return await act();
  } finally {
    await receiver.close();
  }
}

/** The message without what the broker adds, which the description tells. */
function copied(content: Uint8Array): MessageToCopy {
  const described = describeMessage(content, 'peeked');
  const { sequenceNumber = 0, state = 'active' } = described;
  const base64 = Buffer.from(encodeResent(content, { now: Date.now(), keepsSchedule: true })).toString(
    'base64',
  );
  return { ...described, sequenceNumber: Number(sequenceNumber), state, raw: { base64 } };
}

export class AmqpDestination implements CopyDestination {
  readonly #client: AmqpClient;
  readonly address: string;
  readonly #notes: CopyNotes;
  readonly #hasNewIds: boolean;
  readonly #senders = new Map<string, MessageSender>();
  readonly #managers = new Map<string, MessageManager>();
  readonly loss = 'Deferred messages and dead letters arrive active, and delivery counts begin again';

  constructor(
    client: AmqpClient,
    address: string,
    { notes, hasNewIds }: { readonly notes: CopyNotes; readonly hasNewIds: boolean },
  ) {
    this.#client = client;
    this.address = address;
    this.#notes = notes;
    this.#hasNewIds = hasNewIds;
  }

  takes(path: string): boolean {
    return !/\/subscriptions\//i.test(path);
  }

  async marks(path: string): Promise<Marks> {
    return this.#notes.marks(path);
  }

  async put(path: string, messages: readonly MessageToCopy[]): Promise<RefusedPut | undefined> {
    const target = withoutDeadLetters(path);
    const sender = this.#senders.get(target) ?? (await this.#client.openSender(target));
    this.#senders.set(target, sender);
    const now = Date.now();
    const newId = () => (this.#hasNewIds ? randomUUID() : undefined);
    const outcomes = await Promise.allSettled(
      messages.map(async (message) => sender.send(contentOf(message, now, newId()))),
    );
    const firstRefused = outcomes.findIndex(({ status }) => status === 'rejected');
    const numbers = messages.map(({ sequenceNumber }) => sequenceNumber);
    const refused = outcomes[firstRefused];
    if (refused?.status !== 'rejected') {
      await this.#notes.mark(path, numbers);
      return undefined;
    }
    const taken = numbers.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    await this.#notes.mark(path, numbers.slice(0, firstRefused), taken.slice(firstRefused));
    return { error: refused.reason, taken };
  }

  async putState(path: string, { sessionId, stateBase64 }: SessionState): Promise<void> {
    const manager = this.#managers.get(path) ?? (await this.#client.openManager(path));
    this.#managers.set(path, manager);
    const state = Buffer.from(stateBase64, 'base64');
    await inSession(this.#client, { path, sessionId }, () => manager.setSessionState(sessionId, state));
  }

  async end(): Promise<void> {}

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** The queue to which messages of this path are sent: nobody can send to its dead-letter queue. */
export function withoutDeadLetters(path: string): string {
  return path.replace(/\/\$DeadLetterQueue$/i, '');
}

/** The message as it was sent, with what receivers have changed. It arrives active, so it does not say why it was a dead letter. */
function contentOf(message: MessageToCopy, now: number, messageId: string | undefined): Uint8Array {
  const { details } = readImported(message, now);
  const changes = details?.propertyChanges ?? [];
  const isReason = (name: string) => WITHOUT_REASONS.some((one) => one.name === name);
  return encodeResent(Buffer.from(message.raw.base64, 'base64'), {
    now,
    messageId,
    keepsSchedule: message.state === 'scheduled',
    propertyChanges: [...changes.filter(({ name }) => !isReason(name)), ...WITHOUT_REASONS],
  });
}

/** The same for each run of a copy of these entities between these two services with this map. */
export function copyIdOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
