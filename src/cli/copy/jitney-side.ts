// A running Jitney as a side of a copy, over its control interface. It keeps the marks of the copy, so nothing comes twice.

import type {
  EntitiesAnswer,
  EntityAnswer,
  SessionAnswer,
  SessionsAnswer,
} from '../../http/control/control-schemas.js';
import type { ControlClient } from '../control/control-client.js';
import {
  type CopiedStore,
  type CopyDestination,
  type CopySource,
  type Marks,
  type MessageToCopy,
  partitionIn,
  type SessionState,
} from './copy-side.js';

type Page = { readonly messages: readonly MessageToCopy[]; readonly next?: number };

const DEAD_LETTERS = '/$DeadLetterQueue';
const PAGE = 250;

export class JitneySource implements CopySource {
  readonly #client: ControlClient;

  constructor(client: ControlClient) {
    this.#client = client;
  }

  get address(): string {
    return this.#client.url;
  }

  async stores(): Promise<readonly CopiedStore[]> {
    const { entities } = await this.#client.call<EntitiesAnswer>({ name: 'entities' });
    return entities.flatMap((entity) => storesOf(entity, entity.path));
  }

  async *messages(entity: string, after: number): AsyncGenerator<readonly MessageToCopy[]> {
    const newest = { entity, order: 'newest', limit: '1' };
    const { messages: last } = await this.#client.call<Page>({ name: 'messages', query: newest });
    const end = last[0]?.sequenceNumber ?? 0;
    for (let from: number | undefined = after + 1; from !== undefined && from <= end; ) {
      const query: Record<string, string> = { entity, from: String(from), limit: String(PAGE), raw: 'true' };
      const page: Page = await this.#client.call<Page>({ name: 'messages', query });
      const wanted = page.messages.filter(({ sequenceNumber }) => sequenceNumber <= end);
      if (wanted.length > 0) yield wanted;
      from = page.next;
    }
  }

  async *sessionStates(entity: string): AsyncGenerator<SessionState> {
    let from: string | undefined = '';
    while (from !== undefined) {
      const query: Record<string, string> = { entity, from, max: String(PAGE) };
      const page: SessionsAnswer = await this.#client.call<SessionsAnswer>({ name: 'sessions', query });
      for (const { sessionId, stateBytes } of page.sessions) {
        if (stateBytes === undefined) continue;
        const session = { name: 'session', query: { entity, sessionId } };
        const { stateBase64 } = await this.#client.call<SessionAnswer>(session);
        if (stateBase64 !== undefined) yield { sessionId, stateBase64 };
      }
      from = page.next;
    }
  }

  async delete(entity: string, sequenceNumbers: readonly number[]): Promise<void> {
    for (let start = 0; start < sequenceNumbers.length; start += PAGE) {
      const body = { sequenceNumbers: sequenceNumbers.slice(start, start + PAGE) };
      await this.#client.call({ method: 'POST', name: 'messages:delete', query: { entity }, body });
    }
  }

  async close(): Promise<void> {}
}

function storesOf(entity: EntityAnswer, owner: string): CopiedStore[] {
  const { path, counts, createdTime } = entity;
  const count = counts.active + counts.locked + counts.scheduled + counts.deferred;
  const hasSessions = entity.kind !== 'topic' && entity.requiresSession;
  const main = { path, owner, count, hasSessions, createdTime };
  if (entity.kind === 'topic') return [main, ...entity.subscriptions.flatMap((one) => storesOf(one, owner))];
  const dead = { path: path + DEAD_LETTERS, owner, count: counts.deadLetter, hasSessions: false };
  return [main, { ...dead, createdTime }];
}

export class JitneyDestination implements CopyDestination {
  readonly #client: ControlClient;
  readonly #importId: string;
  readonly loss = undefined;
  /** A store to which the end of the copy can be told. */
  #touched: string | undefined;

  constructor(client: ControlClient, importId: string) {
    this.#client = client;
    this.#importId = importId;
  }

  get address(): string {
    return this.#client.url;
  }

  takes(): boolean {
    return true;
  }

  async marks(path: string): Promise<Marks> {
    const { marks = [] } = await this.#import(path, {});
    this.#touched = path;
    return new Map(marks.map((mark) => [partitionIn(mark), mark]));
  }

  /** It takes all messages of a request or none, and then this rejects. */
  async put(path: string, messages: readonly MessageToCopy[]): Promise<undefined> {
    await this.#import(path, { messages });
  }

  async putState(path: string, state: SessionState): Promise<void> {
    await this.#import(path, { sessionStates: [state] });
  }

  async end(): Promise<void> {
    if (this.#touched !== undefined) await this.#import(this.#touched, { isLast: true });
  }

  async close(): Promise<void> {}

  #import(entity: string, more: object): Promise<{ readonly marks?: readonly number[] }> {
    const body = { ...more, importId: this.#importId };
    return this.#client.call({ method: 'POST', name: 'messages:import', query: { entity }, body });
  }
}
