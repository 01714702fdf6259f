// What each operation of `$management` asks of the broker, and how the broker's answers look on the wire, type by type.

import { describe, expect, it } from 'vitest';
import type {
  Answer,
  ManagementOperation,
  ReadMessage,
} from '../../../src/amqp/management/management-operation.js';
import {
  batchDeleteMessages,
  cancelScheduledMessage,
  renewLock,
  scheduleMessage,
  updateDisposition,
} from '../../../src/amqp/management/message-changes.js';
import { peekMessage, receiveBySequenceNumber } from '../../../src/amqp/management/message-reads.js';
import type { Command } from '../../../src/broker/contract/command.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { MESSAGE_STATE } from '../../../src/broker/contract/message-properties.js';
import {
  bin,
  int,
  list,
  long,
  map,
  NULL,
  str,
  sym,
  TRUE,
  timestamp,
  ubyte,
  uint,
} from '../../support/frame-encoder.js';
import { dataSection } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { type Body, bodyOf, messagesIn } from './management-client.js';
import { ask, entityPath, respond, written } from './operation-under-test.js';
import { longItem, longs, scheduledMessage, uuids } from './request-bodies.js';

const TOKENS = ['00112233445566778899aabbccddeeff', 'ffeeddccbbaa99887766554433221100'] as const;
const tokens = uuids(...TOKENS.map((token) => Buffer.from(token, 'hex')));
const TIME = Date.UTC(2030, 0, 1);

const settling = (status: string, more: Body = {}): Body => ({
  'lock-tokens': tokens,
  'disposition-status': str(status),
  ...more,
});

const REASON: Body = { 'deadletter-reason': str('old'), 'deadletter-description': sym('very') };
const MODIFIED: Body = { 'properties-to-modify': map([[str('wide'), longItem(1)]]) };
const CHANGE = { name: 'wide', value: new Uint8Array(longItem(1)) };

describe('the command', () => {
  it.each<[string, ManagementOperation, Body, Command]>([
    [
      'renew-lock',
      renewLock,
      { 'lock-tokens': tokens },
      { kind: 'renew-lock', entityPath, lockTokens: TOKENS },
    ],
    [
      'peek-message',
      peekMessage,
      { 'from-sequence-number': long(5), 'message-count': int(2_147_483_647), 'omit-message-body': TRUE },
      { kind: 'peek', entityPath, fromSequenceNumber: 5, maxCount: 2_147_483_647 },
    ],
    [
      'receive-by-sequence-number, locking',
      receiveBySequenceNumber,
      { 'sequence-numbers': longs(7, 5), 'receiver-settle-mode': uint(1), 'session-id': NULL },
      { kind: 'receive-deferred', entityPath, sequenceNumbers: [7, 5], receiveMode: 'peek-lock' },
    ],
    [
      'receive-by-sequence-number, deleting',
      receiveBySequenceNumber,
      { 'sequence-numbers': list([long(7), uint(5)]), 'receiver-settle-mode': ubyte(0) },
      { kind: 'receive-deferred', entityPath, sequenceNumbers: [7, 5], receiveMode: 'receive-and-delete' },
    ],
    [
      'update-disposition, completing',
      updateDisposition,
      settling('completed', MODIFIED),
      { kind: 'settle-many', entityPath, lockTokens: TOKENS, outcome: { kind: 'complete' } },
    ],
    [
      'update-disposition, abandoning',
      updateDisposition,
      settling('abandoned', { ...REASON, ...MODIFIED }),
      {
        kind: 'settle-many',
        entityPath,
        lockTokens: TOKENS,
        outcome: { kind: 'abandon', changes: [CHANGE] },
      },
    ],
    [
      'update-disposition, deferring',
      updateDisposition,
      settling('defered', MODIFIED),
      { kind: 'settle-many', entityPath, lockTokens: TOKENS, outcome: { kind: 'defer', changes: [CHANGE] } },
    ],
    [
      'update-disposition, dead-lettering',
      updateDisposition,
      settling('suspended', { ...REASON, ...MODIFIED }),
      {
        kind: 'settle-many',
        entityPath,
        lockTokens: TOKENS,
        outcome: {
          kind: 'dead-letter',
          changes: [
            CHANGE,
            { name: 'DeadLetterReason', value: 'old' },
            { name: 'DeadLetterErrorDescription', value: 'very' },
          ],
        },
      },
    ],
    [
      'cancel-scheduled-message',
      cancelScheduledMessage,
      { 'sequence-numbers': longs(1, 300) },
      { kind: 'cancel-scheduled', entityPath, sequenceNumbers: [1, 300] },
    ],
    [
      'batch-delete-messages',
      batchDeleteMessages,
      { 'message-count': int(500), 'enqueued-time-utc': timestamp(TIME) },
      { kind: 'delete-messages', entityPath, maxCount: 500, enqueuedBefore: TIME },
    ],
    [
      'batch-delete-messages, of any time',
      batchDeleteMessages,
      { 'message-count': int(500) },
      { kind: 'delete-messages', entityPath, maxCount: 500, enqueuedBefore: NEVER },
    ],
  ])('of %s', (_, operation, body, command) => {
    expect(ask(operation, body).command).toEqual(command);
  });

  it('of schedule-message has each message with its own bytes, which keep nothing else alive', () => {
    const messages = [scheduledMessage('one', TIME), scheduledMessage('two', TIME + 1)];
    const items = messages.map((message) => bodyOf({ 'message-id': str('ignored'), message: bin(message) }));
    const { command } = ask(scheduleMessage, { messages: list(items) });
    if (command.kind !== 'send') throw new Error(`a send is expected, not ${command.kind}`);
    expect(command.entityPath).toBe(entityPath);
    expect(command.messages.map(({ scheduledEnqueueTime }) => scheduledEnqueueTime)).toEqual([
      TIME,
      TIME + 1,
    ]);
    expect(command.messages.map(({ messageId }) => messageId)).toEqual(['id of one', 'id of two']);
    for (const [index, { content }] of command.messages.entries()) {
      expect(Buffer.from(content).equals(messages[index] as Buffer)).toBe(true);
      expect(content.buffer.byteLength).toBe(content.byteLength);
    }
  });

  it('has sequence numbers beyond 2^53 as numbers that no message has', () => {
    const { command } = ask(cancelScheduledMessage, { 'sequence-numbers': longs(2n ** 53n, -(2n ** 63n)) });
    expect(command).toMatchObject({ sequenceNumbers: [2 ** 53, -(2 ** 63)] });
  });
});

describe('the response', () => {
  it.each<[string, ManagementOperation, Body, Answer, string]>([
    [
      'renew-lock',
      renewLock,
      { 'lock-tokens': tokens },
      { kind: 'renewed', lockedUntil: [TIME, TIME + 1] },
      `200 absent {"expirations": array [timestamp ${TIME}, timestamp ${TIME + 1}]}`,
    ],
    [
      'schedule-message',
      scheduleMessage,
      { messages: list([bodyOf({ message: bin(scheduledMessage('one', TIME)) })]) },
      { kind: 'sent', sequenceNumbers: [1, 2 ** 52] },
      '200 absent {"sequence-numbers": array [long 1, long 4503599627370496]}',
    ],
    [
      'cancel-scheduled-message',
      cancelScheduledMessage,
      { 'sequence-numbers': longs(1) },
      { kind: 'done' },
      '200 absent {}',
    ],
    ['update-disposition', updateDisposition, settling('completed'), { kind: 'done' }, '200 absent {}'],
    [
      'batch-delete-messages',
      batchDeleteMessages,
      { 'message-count': int(5) },
      { kind: 'deleted', count: 3 },
      '200 absent {"message-count": int 3}',
    ],
    [
      'batch-delete-messages that deleted nothing',
      batchDeleteMessages,
      { 'message-count': int(5) },
      { kind: 'deleted', count: 0 },
      "204 'com.microsoft:message-not-found {}",
    ],
    [
      'peek-message that found nothing',
      peekMessage,
      { 'from-sequence-number': long(1), 'message-count': int(1) },
      { kind: 'messages', messages: [] },
      "204 'com.microsoft:message-not-found {}",
    ],
    [
      'receive-by-sequence-number of nothing',
      receiveBySequenceNumber,
      { 'sequence-numbers': longs(), 'receiver-settle-mode': uint(1) },
      { kind: 'messages', messages: [] },
      '200 absent {"messages": []}',
    ],
  ])('of %s', (_, operation, body, answer, expected) => {
    expect(written(operation, body, answer)).toBe(expected);
  });

  const locked: ReadMessage = {
    contentId: 1,
    storeId: 1,
    content: dataSection('body'),
    properties: {
      sequenceNumber: 7,
      enqueuedTime: TIME,
      expiresAt: NEVER,
      deliveryCount: 2,
      state: MESSAGE_STATE.deferred,
      wasScheduled: false,
      generatedMessageId: undefined,
      propertyChanges: undefined,
      systemChanges: undefined,
      enqueuedSequenceNumber: undefined,
      deadLetterSource: undefined,
      partitionId: undefined,
    },
    lockToken: TOKENS[0],
    lockedUntil: TIME + 30_000,
  };

  it('of receive-by-sequence-number has the token beside the message and on it, and the end of the lock', () => {
    const body = { 'sequence-numbers': longs(7), 'receiver-settle-mode': uint(1) };
    const [{ message, lockToken } = {}] = messagesOf(receiveBySequenceNumber, body, [locked]);
    expect(lockToken?.toString('hex')).toBe(TOKENS[0]);
    expect(notation(message?.entry('messageAnnotations', 'x-opt-lock-token'))).toBe(`uuid ${TOKENS[0]}`);
    expect(notation(message?.entry('messageAnnotations', 'x-opt-locked-until'))).toBe(
      `timestamp ${TIME + 30_000}`,
    );
    expect(notation(message?.entry('messageAnnotations', 'x-opt-message-state'))).toBe('int 1');
    expect(notation(message?.header('deliveryCount'))).toBe('uint 2');
  });

  it('of peek-message has neither, whatever the message had', () => {
    const body = { 'from-sequence-number': long(1), 'message-count': int(1) };
    const [{ message, lockToken } = {}] = messagesOf(peekMessage, body, [locked]);
    expect(lockToken).toBeUndefined();
    expect(message?.entry('messageAnnotations', 'x-opt-lock-token')).toBeUndefined();
    expect(message?.entry('messageAnnotations', 'x-opt-locked-until')).toBeUndefined();
    expect(notation(message?.entry('messageAnnotations', 'x-opt-sequence-number'))).toBe('long 7');
  });

  function messagesOf(operation: ManagementOperation, body: Body, messages: readonly ReadMessage[]) {
    const response = respond(operation, body, { kind: 'messages', messages });
    return messagesIn({ body: response.section('value')?.value });
  }
});
