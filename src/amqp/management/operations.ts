// The table of operations of `$management`: who carries each out, which right it needs, and its name in faults.

import type { AccessRight } from '../../broker/contract/entities/authorization-rule.js';
import { entryOf, textOf } from '../../codec/read-value.js';
import type { AmqpValue } from '../../codec/types.js';
import type { FaultOperation } from '../../steer/fault.js';
import type { ManagementOperation } from './management-operation.js';
import {
  batchDeleteMessages,
  cancelScheduledMessage,
  renewLock,
  scheduleMessage,
  updateDisposition,
} from './message-changes.js';
import { peekMessage, receiveBySequenceNumber } from './message-reads.js';
import { addRule, enumerateRules, removeRule } from './rule-operations.js';
import {
  getMessageSessions,
  getSessionState,
  renewSessionLock,
  setSessionState,
} from './session-operations.js';

type OperationRow = {
  readonly prepare: ManagementOperation;
  /** Default: Listen, also for operations on rules, because every SDK's rule manager has it. */
  readonly right?: AccessRight;
  /** Whether the answer has messages, states, rules or lists. All others have a few hundred bytes. */
  readonly hasLargeAnswer?: true;
  /** The name of the operation in faults, which may depend on the body of the request. Default: no fault hits it. */
  readonly fault?: FaultOperation | ((body: AmqpValue | undefined) => FaultOperation | undefined);
};

const SETTLEMENTS: ReadonlyMap<string, FaultOperation> = new Map([
  ['completed', 'complete'],
  ['abandoned', 'abandon'],
  ['defered', 'defer'],
  ['deferred', 'defer'],
  ['suspended', 'dead-letter'],
]);

const settlementIn = (body: AmqpValue | undefined) =>
  SETTLEMENTS.get(textOf(entryOf(body, 'disposition-status')) ?? '');

export const OPERATIONS: ReadonlyMap<string, OperationRow> = new Map<string, OperationRow>([
  ['com.microsoft:renew-lock', { prepare: renewLock, fault: 'renew-lock' }],
  ['com.microsoft:peek-message', { prepare: peekMessage, fault: 'peek', hasLargeAnswer: true }],
  [
    'com.microsoft:receive-by-sequence-number',
    { prepare: receiveBySequenceNumber, fault: 'receive', hasLargeAnswer: true },
  ],
  ['com.microsoft:update-disposition', { prepare: updateDisposition, fault: settlementIn }],
  ['com.microsoft:schedule-message', { prepare: scheduleMessage, fault: 'schedule', right: 'Send' }],
  [
    'com.microsoft:cancel-scheduled-message',
    { prepare: cancelScheduledMessage, fault: 'cancel', right: 'Send' },
  ],
  ['com.microsoft:batch-delete-messages', { prepare: batchDeleteMessages }],
  ['com.microsoft:renew-session-lock', { prepare: renewSessionLock, fault: 'renew-session-lock' }],
  [
    'com.microsoft:get-session-state',
    { prepare: getSessionState, fault: 'get-session-state', hasLargeAnswer: true },
  ],
  ['com.microsoft:set-session-state', { prepare: setSessionState, fault: 'set-session-state' }],
  ['com.microsoft:get-message-sessions', { prepare: getMessageSessions, hasLargeAnswer: true }],
  ['com.microsoft:add-rule', { prepare: addRule, fault: 'administration' }],
  ['com.microsoft:remove-rule', { prepare: removeRule, fault: 'administration' }],
  [
    'com.microsoft:enumerate-rules',
    { prepare: enumerateRules, fault: 'administration', hasLargeAnswer: true },
  ],
]);
