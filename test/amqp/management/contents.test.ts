// How a `$management` node comes by the contents of the messages it answers with: those that only the journal still has.

import { beforeEach, describe, expect, it } from 'vitest';
import { CrossEntitySessions } from '../../../src/amqp/links/cross-entity.js';
import { ConnectionTransactions, TransactionIds } from '../../../src/amqp/links/transactions.js';
import { ManagementNode } from '../../../src/amqp/management/management-node.js';
import {
  type Request,
  type Response,
  readRequest,
  writeResponse,
} from '../../../src/amqp/management/request-message.js';
import { ContentUnreadable } from '../../../src/broker/contract/content-unreadable.js';
import type { FoundMessage, Result } from '../../../src/broker/contract/result.js';
import { removed, stored } from '../../support/engine-broker.js';
import { type EngineUnderTest, settled, startEngine } from '../../support/engine-under-test.js';
import { str, uint } from '../../support/frame-encoder.js';
import { applicationProperties, dataSection, ReceivedMessage, section } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { type Body, bodyOf, messagesIn } from './management-client.js';
import { longs, peekBody } from './request-bodies.js';
import { textOf } from './surroundings.js';

const unreadable = (contentId: number) => new ContentUnreadable(contentId, `content ${contentId} is missing`);
const RECEIVE: Body = { 'sequence-numbers': longs(1), 'receiver-settle-mode': uint(0) };

let given: EngineUnderTest;
let node: ManagementNode;
let responses: Response[];
let faults: unknown[];

beforeEach(async () => {
  given = await startEngine({ contentBudgetBytes: 0 });
  given.journal.isWritingByItself = true;
  responses = [];
  faults = [];
  node = new ManagementNode(given.engine, {
    entityPath: 'orders',
    connectionId: 1,
    maxMessageSizeBytes: 1024,
    context: { host: 'localhost', nextGuid: () => '0'.repeat(32) },
    transactions: new ConnectionTransactions({
      ids: new TransactionIds('0'.repeat(32)),
      sessions: new CrossEntitySessions({ isLifted: () => false }),
      connectionId: () => 1,
    }),
    faulted: (cause) => faults.push(cause),
  });
});

/** Stores messages of one letter each, which then only the journal has. */
async function store(...ids: number[]): Promise<void> {
  for (const id of ids) {
    given.submit(id, { events: stored(id) });
    await settled();
    given.journal.contents.set(id, dataSection(String.fromCharCode(96 + id)));
  }
}

function found(id: number): FoundMessage {
  const [, put] = stored(id);
  if (put?.kind !== 'message-put') throw new Error('no message was stored');
  const { message } = put;
  return {
    contentId: id,
    storeId: 1,
    properties: {
      ...message,
      generatedMessageId: undefined,
      propertyChanges: undefined,
      partitionId: undefined,
    },
    lockToken: undefined,
    lockedUntil: undefined,
  };
}

function requestFor(operation: string, body: Body): Request {
  return readRequest(
    Buffer.concat([applicationProperties({ operation: str(operation) }), section('value', bodyOf(body))]),
  );
}

/** A request for which the broker finds these messages. */
async function ask(operation: string, body: Body, ids: number[], events: ReturnType<typeof removed> = []) {
  return askFor({ kind: 'messages', messages: ids.map(found) }, operation, body, events);
}

async function askFor(result: Result, operation: string, body: Body, events: ReturnType<typeof removed>) {
  given.broker.next({ result, events });
  const request = requestFor(`com.microsoft:${operation}`, body);
  node.answer(
    request,
    (response) => responses.push(response),
    () => undefined,
  );
  await settled();
  return request;
}

/** A request for the state of a session. */
function askForState(contentId: number | undefined): Promise<Request> {
  return askFor({ kind: 'session-state', contentId }, 'get-session-state', { 'session-id': str('s') }, []);
}

function stateIn(request: Request): string {
  const [response] = responses;
  if (response === undefined) throw new Error('there is no response');
  return notation(new ReceivedMessage(writeResponse(request, response)).section('value')?.value);
}

function textsIn(request: Request): string[] {
  const [response] = responses;
  if (response === undefined) throw new Error('there is no response');
  const body = new ReceivedMessage(writeResponse(request, response)).section('value')?.value;
  return messagesIn({ body }).map(({ message }) => textOf(message));
}

describe('the contents of messages that are found', () => {
  it('are read at the same time, and answered in one response in the order of the messages', async () => {
    await store(1, 2, 3);
    const request = await ask('peek-message', peekBody(), [1, 2, 3]);
    expect(given.journal.readsUnderWay).toEqual([1, 2, 3]);
    for (const id of [3, 1, 2]) {
      expect(responses).toEqual([]);
      await given.journal.finishReading(id);
    }
    expect(responses).toHaveLength(1);
    expect(textsIn(request)).toEqual(['a', 'b', 'c']);
  });

  it('are kept until they are read when the messages are removed by being received', async () => {
    await store(1);
    const request = await ask('receive-by-sequence-number', RECEIVE, [1], removed(1));
    given.submit(9, { events: stored(9) });
    await settled();
    expect(given.journal.contents.has(1)).toBe(true);
    await given.journal.finishReading(1);
    expect(textsIn(request)).toEqual(['a']);
    given.submit(10, { events: stored(10) });
    await settled();
    expect(given.journal.contents.has(1)).toBe(false);
  });

  it('are answered with an internal error when the journal fails, and the fault is reported once', async () => {
    await store(1, 2);
    await ask('peek-message', peekBody(), [1, 2]);
    const cause = new Error('the disk is gone');
    await given.journal.failToRead(1, cause);
    await given.journal.failToRead(2, new Error('and still is'));
    expect(responses).toHaveLength(1);
    expect(responses[0]).toMatchObject({ status: 500, condition: 'amqp:internal-error' });
    expect(responses[0]?.description).toMatch(/could not be read.* TrackingId:/);
    expect(faults).toEqual([cause]);
  });

  it('leave out those that cannot be read, and the broker is told', async () => {
    await store(1, 2, 3);
    const request = await ask('peek-message', peekBody(), [1, 2, 3]);
    await given.journal.failToRead(2, unreadable(2));
    for (const id of [1, 3]) await given.journal.finishReading(id);
    expect(textsIn(request)).toEqual(['a', 'c']);
    expect(given.broker.executed.at(-1)?.command).toMatchObject({
      kind: 'content-unreadable',
      contentId: 2,
      storeId: 1,
      sequenceNumber: 2,
      seen: 'content 2 is missing',
    });
    expect(faults).toEqual([]);
  });

  it('are peeked again when none can be read: an empty answer would be the end of the entity', async () => {
    await store(1, 2);
    const request = await ask('peek-message', peekBody(), [1]);
    given.broker.next({}); // answers the report
    given.broker.next({ result: { kind: 'messages', messages: [found(2)] } });
    await given.journal.failToRead(1, unreadable(1));
    expect(responses).toEqual([]);
    await given.journal.finishReading(2);
    expect(textsIn(request)).toEqual(['b']);
  });

  it('are refused as not found when they were received by number, and none can be read', async () => {
    await store(1);
    await ask('receive-by-sequence-number', RECEIVE, [1]);
    await given.journal.failToRead(1, unreadable(1));
    expect(responses).toMatchObject([{ status: 404, condition: 'com.microsoft:message-not-found' }]);
    expect(responses[0]?.description).toContain('in the dead-letter queue now');
    expect(faults).toEqual([]);
  });

  it('are not read when no message is found', async () => {
    await ask('peek-message', peekBody(), []);
    expect(responses[0]).toMatchObject({ status: 204, condition: 'com.microsoft:message-not-found' });
    expect(given.journal.reads).toEqual([]);
  });
});

describe('the state of a session', () => {
  it('is read from where it is kept, even when it is replaced before it is read [SES-15]', async () => {
    await store(1);
    const request = await askForState(1);
    given.submit(9, { events: removed(1) });
    await settled();
    given.submit(10, { events: stored(10) });
    await settled();
    expect(responses).toEqual([]);
    await given.journal.finishReading(1);
    expect(stateIn(request)).toBe(`{"session-state": binary ${dataSection('a').toString('hex')}}`);
  });

  it('is answered without a read when there is none [SES-15]', async () => {
    expect(stateIn(await askForState(undefined))).toBe('{"session-state": null}');
    expect(given.journal.reads).toEqual([]);
  });

  it('that alone cannot be read is refused with an error that no SDK retries, and said in the log', async () => {
    await store(1);
    const said: string[] = [];
    given.engine.onFault((text) => said.push(text));
    await askForState(1);
    await given.journal.failToRead(1, unreadable(1));
    expect(responses).toMatchObject([{ status: 400, condition: 'amqp:not-allowed' }]);
    const state = 'The state of session "s" of \'orders\' cannot be read: content 1 is missing.';
    expect(responses[0]?.description).toContain(`${state} Set another state, or clear it with null.`);
    expect(said).toEqual([`${state} A receiver that asks for it gets an error until it sets another.`]);
    expect(faults).toEqual([]);
  });

  it('is answered with an internal error when the journal fails, and the fault is reported', async () => {
    await store(1);
    await askForState(1);
    const cause = new Error('the disk is gone');
    await given.journal.failToRead(1, cause);
    expect(responses).toMatchObject([{ status: 500, condition: 'amqp:internal-error' }]);
    expect(faults).toEqual([cause]);
  });
});
