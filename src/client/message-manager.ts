// Changes messages and states of sessions with requests to `$management`: cancels, receives by number, settles, deletes in bulk.

import { amqp } from '../codec/types.js';
import { type RequestContext, refusalOf } from './client-error.js';
import type { RequestClient } from './request-client.js';

const OPERATION = {
  cancel: 'com.microsoft:cancel-scheduled-message',
  receive: 'com.microsoft:receive-by-sequence-number',
  settle: 'com.microsoft:update-disposition',
  delete: 'com.microsoft:batch-delete-messages',
  sessions: 'com.microsoft:get-message-sessions',
  state: 'com.microsoft:get-session-state',
  setState: 'com.microsoft:set-session-state',
} as const;
const NOTHING_FOUND = 'com.microsoft:message-not-found';
const SETTLE_MODE = { 'receive-and-delete': 0, 'peek-lock': 1 } as const;
/** Lists the sessions whose state was set since then: all that have one. */
const EVER = 0;
const SESSIONS_IN_A_PAGE = 100;
/** The limit of Azure in Basic and Standard (DEL-01). */
const MOST_DELETED = 500;

export type DeferredMessage = {
  readonly content: Uint8Array /** 32 hexadecimal digits. */;
  readonly token: string;
};
type Body = Parameters<RequestClient['request']>[1];

export class MessageManager {
  readonly #links: RequestClient;
  readonly #context: RequestContext;

  constructor(links: RequestClient, context: RequestContext) {
    this.#links = links;
    this.#context = context;
  }

  /** Cancels all of these scheduled messages; false if one of them is not there, and none is cancelled. Throws a JitneyError, like all. */
  async cancelScheduled(numbers: readonly bigint[]): Promise<boolean> {
    const body = { 'sequence-numbers': amqp.longArray(numbers) };
    return (await this.#request(OPERATION.cancel, body)) !== undefined;
  }

  /** Receives all of these deferred messages; undefined if one of them is not there. A `sessionId` is that of a session held here. */
  async receiveDeferred(
    numbers: readonly bigint[],
    { mode, sessionId }: { readonly mode: keyof typeof SETTLE_MODE; readonly sessionId: string | undefined },
  ): Promise<readonly DeferredMessage[] | undefined> {
    const answer = await this.#request(OPERATION.receive, {
      'sequence-numbers': amqp.longArray(numbers),
      'receiver-settle-mode': amqp.uint(SETTLE_MODE[mode]),
      ...(sessionId === undefined ? {} : { 'session-id': sessionId }),
    });
    return answer === undefined ? undefined : deferredIn(answer);
  }

  async complete(tokens: readonly string[], sessionId: string | undefined): Promise<void> {
    await this.#mustFind(OPERATION.settle, {
      'disposition-status': 'completed',
      'lock-tokens': amqp.uuidArray(tokens),
      ...(sessionId === undefined ? {} : { 'session-id': sessionId }),
    });
  }

  /** Deletes up to 500 of the oldest messages that are active or deferred and not locked, and returns their number. Default: all until now. */
  async deleteOldest(enqueuedBefore: number | undefined): Promise<number> {
    const answer = await this.#request(OPERATION.delete, {
      'message-count': amqp.int(MOST_DELETED),
      ...(enqueuedBefore === undefined ? {} : { 'enqueued-time-utc': amqp.timestamp(enqueuedBefore) }),
    });
    return Number(answer?.['message-count'] ?? 0);
  }

  async *sessionsWithState(): AsyncGenerator<string> {
    for (let skip = 0; ; ) {
      const answer = await this.#request(OPERATION.sessions, {
        'last-updated-time': amqp.timestamp(EVER),
        skip: amqp.int(skip),
        top: amqp.int(SESSIONS_IN_A_PAGE),
      });
      const ids = answer?.['sessions-ids'];
      if (!Array.isArray(ids)) return;
      yield* ids.map(String);
      if (ids.length < SESSIONS_IN_A_PAGE) return;
      skip += ids.length;
    }
  }

  async sessionState(sessionId: string): Promise<Uint8Array | undefined> {
    const answer = await this.#mustFind(OPERATION.state, { 'session-id': sessionId });
    const state = answer['session-state'];
    return Buffer.isBuffer(state) ? state : undefined;
  }

  async setSessionState(sessionId: string, state: Uint8Array): Promise<void> {
    const body = { 'session-id': sessionId, 'session-state': amqp.binary(state) };
    await this.#mustFind(OPERATION.setState, body);
  }

  /** The body of the answer; undefined if the service has not found a message. */
  async #request(operation: string, body: Body): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await this.#links.request({ operation }, body);
    const { status, condition, description } = answer;
    if (status === 204 || condition === NOTHING_FOUND) return undefined;
    if (status >= 200 && status < 300) return (answer.body ?? {}) as Readonly<Record<string, unknown>>;
    throw refusalOf({ condition, description }, this.#context);
  }

  async #mustFind(operation: string, body: Body): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#request(operation, body)) ?? {};
  }
}

function deferredIn({ messages }: Readonly<Record<string, unknown>>): readonly DeferredMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((one: Readonly<Record<string, unknown>>) => {
    const { message, 'lock-token': token } = one;
    if (!Buffer.isBuffer(message)) return [];
    return [{ content: message, token: Buffer.isBuffer(token) ? token.toString('hex') : '' }];
  });
}
