// Sessions in the operations of `$management`: what each asks of the broker, and how the answers look, type by type.

import { describe, expect, it } from 'vitest';
import type { Answer, ManagementOperation } from '../../../src/amqp/management/management-operation.js';
import { batchDeleteMessages, updateDisposition } from '../../../src/amqp/management/message-changes.js';
import { peekMessage, receiveBySequenceNumber } from '../../../src/amqp/management/message-reads.js';
import {
  getMessageSessions,
  getSessionState,
  renewSessionLock,
  setSessionState,
} from '../../../src/amqp/management/session-operations.js';
import type { Command } from '../../../src/broker/contract/command.js';
import { bin, type Encoded, int, long, NULL, str, timestamp, uint } from '../../support/frame-encoder.js';
import type { Body } from './management-client.js';
import { ask, connectionId, entityPath, written } from './operation-under-test.js';
import { END_OF_TIME, GOOD } from './request-bodies.js';

const TIME = Date.UTC(2030, 0, 1);
const PAGE: Body = { skip: int(0), top: int(100) };

describe('a command about a session', () => {
  const session = { sessionId: 's', connectionId };
  it.each<[string, ManagementOperation, Body, Command]>([
    ['renew-session-lock', renewSessionLock, {}, { kind: 'renew-session-lock', entityPath, session }],
    ['get-session-state', getSessionState, {}, { kind: 'get-session-state', entityPath, session }],
    [
      'set-session-state',
      setSessionState,
      { 'session-state': bin(Buffer.of(0, 1)) },
      { kind: 'set-session-state', entityPath, session, state: new Uint8Array([0, 1]) },
    ],
    [
      'set-session-state with no bytes, which clears it',
      setSessionState,
      { 'session-state': bin(Buffer.of()) },
      { kind: 'set-session-state', entityPath, session, state: undefined },
    ],
    [
      'set-session-state with null, which clears it',
      setSessionState,
      { 'session-state': NULL },
      { kind: 'set-session-state', entityPath, session, state: undefined },
    ],
  ])('names it and the connection of the request: %s', (_, operation, body, command) => {
    expect(ask(operation, { 'session-id': str('s'), ...body }).command).toStrictEqual(command);
  });

  it('copies the bytes of a state, so that they keep no larger buffer alive', () => {
    const fields = { 'session-id': str('s'), 'session-state': bin(Buffer.alloc(1000, 7)) };
    const { command } = ask(setSessionState, fields);
    if (command.kind !== 'set-session-state') throw new Error(`not what was asked for: ${command.kind}`);
    expect(command.state).toEqual(new Uint8Array(1000).fill(7));
    expect(command.state?.buffer.byteLength).toBe(1000);
  });
});

describe('a command that may be about a session', () => {
  const OPERATIONS: readonly (readonly [string, ManagementOperation])[] = [
    ['receive-by-sequence-number', receiveBySequenceNumber],
    ['update-disposition', updateDisposition],
    ['batch-delete-messages', batchDeleteMessages],
  ];
  const commandOf = (name: string, operation: ManagementOperation, sessionId: Encoded | undefined) =>
    ask(operation, { ...GOOD[name], 'session-id': sessionId }).command;

  it.each(OPERATIONS)('claims it on the connection of the request: %s', (name, operation) => {
    for (const sessionId of ['s', '', 'S', 'grüße']) {
      expect(commandOf(name, operation, str(sessionId))).toMatchObject({
        session: { sessionId, connectionId },
      });
    }
  });

  it.each(OPERATIONS)('claims none when the id is left out or null: %s', (name, operation) => {
    for (const sessionId of [undefined, NULL]) {
      expect(commandOf(name, operation, sessionId)).toMatchObject({ session: undefined });
    }
  });

  it('peeks in the session that is named, or in all when the id is left out or null: peek-message', () => {
    const sessionIdOf = (sessionId: Encoded | undefined) =>
      (commandOf('peek-message', peekMessage, sessionId) as { sessionId?: string }).sessionId;
    expect([str('s'), str(''), undefined, NULL].map(sessionIdOf)).toEqual(['s', '', undefined, undefined]);
  });
});

describe('a list of sessions is requested', () => {
  const asking = (fields: Body) => ask(getMessageSessions, { ...PAGE, ...fields }).command;

  it.each([
    ['as Java says it', timestamp(END_OF_TIME)],
    ['as Go and JavaScript say it', timestamp(253_402_300_800_000)],
    ['later still', timestamp(2n ** 63n - 1n)],
    ['left out', undefined],
    ['null', NULL],
  ])('by the end of time, %s: those with messages or state', (_, time) => {
    expect(asking({ 'last-updated-time': time })).toStrictEqual({
      kind: 'list-sessions',
      entityPath,
      stateSetAfter: undefined,
      skip: 0,
      maxCount: 100,
    });
  });

  it.each([TIME, 0, -1, END_OF_TIME - 1])('by the time %s: those whose state was set after it', (time) => {
    expect(asking({ 'last-updated-time': timestamp(time) })).toMatchObject({ stateSetAfter: time });
  });

  it('page by page, in any integer type, and whatever Java says of the last page', () => {
    expect(asking({ skip: int(200), top: int(50) })).toMatchObject({ skip: 200, maxCount: 50 });
    expect(asking({ skip: uint(1), top: long(2 ** 31) })).toMatchObject({ skip: 1, maxCount: 2 ** 31 });
    expect(asking({ 'last-session-id': str('s99') })).toMatchObject({ skip: 0, maxCount: 100 });
    expect(asking({ 'last-session-id': NULL })).toMatchObject({ skip: 0, maxCount: 100 });
  });
});

describe('the answer', () => {
  it.each<[string, ManagementOperation, string, Body, Answer, string]>([
    [
      'of renew-session-lock is one timestamp',
      renewSessionLock,
      'renew-session-lock',
      {},
      { kind: 'renewed', lockedUntil: [TIME] },
      `200 absent {"expiration": timestamp ${TIME}}`,
    ],
    [
      'of get-session-state is binary',
      getSessionState,
      'get-session-state',
      {},
      { kind: 'session-state', state: new Uint8Array([0, 255]) },
      '200 absent {"session-state": binary 00ff}',
    ],
    [
      'of get-session-state may be a binary of no bytes',
      getSessionState,
      'get-session-state',
      {},
      { kind: 'session-state', state: new Uint8Array() },
      '200 absent {"session-state": binary }',
    ],
    [
      'of get-session-state is a null in a map where there is none',
      getSessionState,
      'get-session-state',
      {},
      { kind: 'session-state', state: undefined },
      '200 absent {"session-state": null}',
    ],
    [
      'of set-session-state is empty',
      setSessionState,
      'set-session-state',
      {},
      { kind: 'done' },
      '200 absent {}',
    ],
    [
      'of get-message-sessions is an array of strings, and how many to skip then',
      getMessageSessions,
      'get-message-sessions',
      { skip: int(300) },
      { kind: 'sessions', sessionIds: ['', 'a', 'grüße'] },
      '200 absent {"skip": int 303, "sessions-ids": array ["", "a", "grüße"]}',
    ],
    [
      'of get-message-sessions that has none is no content, as .NET, Java, Go and JavaScript take it',
      getMessageSessions,
      'get-message-sessions',
      { skip: int(2_147_483_647) },
      { kind: 'sessions', sessionIds: [] },
      "204 'com.microsoft:message-not-found {}",
    ],
  ])('%s', (_, operation, name, fields, answer, expected) => {
    expect(written(operation, { ...GOOD[name], ...fields }, answer)).toBe(expected);
  });

  it('of get-message-sessions has ids of any length', () => {
    const sessionIds = ['x'.repeat(128), '\u{1f600}'.repeat(128), 'y'.repeat(100_000)];
    const expected = sessionIds.map((id) => JSON.stringify(id)).join(', ');
    expect(
      written(getMessageSessions, GOOD['get-message-sessions'] ?? {}, { kind: 'sessions', sessionIds }),
    ).toBe(`200 absent {"skip": int 3, "sessions-ids": array [${expected}]}`);
  });
});
