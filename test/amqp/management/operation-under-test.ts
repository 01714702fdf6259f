// One `$management` operation without an emulator: the command that it makes of a request, and the answer that it writes.

import { failureOf } from '../../../src/amqp/error-condition.js';
import type {
  Answer,
  ManagementOperation,
  PreparedOperation,
} from '../../../src/amqp/management/management-operation.js';
import {
  batchDeleteMessages,
  cancelScheduledMessage,
  renewLock,
  scheduleMessage,
  updateDisposition,
} from '../../../src/amqp/management/message-changes.js';
import { peekMessage, receiveBySequenceNumber } from '../../../src/amqp/management/message-reads.js';
import { readRequest, writeResponse } from '../../../src/amqp/management/request-message.js';
import { addRule, enumerateRules, removeRule } from '../../../src/amqp/management/rule-operations.js';
import {
  getMessageSessions,
  getSessionState,
  renewSessionLock,
  setSessionState,
} from '../../../src/amqp/management/session-operations.js';
import { ServiceBusError } from '../../../src/broker/contract/service-bus-error.js';
import type { Encoded } from '../../support/frame-encoder.js';
import { ReceivedMessage, section } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { type Body, bodyOf } from './management-client.js';

export const entityPath = 'orders';
export const connectionId = 4;

export const OPERATIONS = {
  'renew-lock': renewLock,
  'peek-message': peekMessage,
  'receive-by-sequence-number': receiveBySequenceNumber,
  'update-disposition': updateDisposition,
  'schedule-message': scheduleMessage,
  'cancel-scheduled-message': cancelScheduledMessage,
  'batch-delete-messages': batchDeleteMessages,
  'renew-session-lock': renewSessionLock,
  'get-session-state': getSessionState,
  'set-session-state': setSessionState,
  'get-message-sessions': getMessageSessions,
  'add-rule': addRule,
  'remove-rule': removeRule,
  'enumerate-rules': enumerateRules,
} as const satisfies Readonly<Record<string, ManagementOperation>>;

export type OperationName = keyof typeof OPERATIONS;

export function ask(operation: ManagementOperation, body: Body | Encoded): PreparedOperation {
  const encoded = Buffer.isBuffer(body) ? body : bodyOf(body);
  const { body: value, encodedBody } = readRequest(section('value', encoded));
  return operation({ entityPath, connectionId, body: value, encodedBody });
}

/** Why the request is no command: `400 com.microsoft:argument-error: the text`. */
export function refusalOf(name: OperationName, body: Body | Encoded): string {
  try {
    return `it is a command: ${ask(OPERATIONS[name], body).command.kind}`;
  } catch (error) {
    if (!(error instanceof ServiceBusError)) throw error;
    const failure = failureOf(error, { host: 'localhost', nextGuid: () => '' }, entityPath);
    return `${failure.status} ${failure.condition}: ${failure.description}`;
  }
}

export function respond(operation: ManagementOperation, body: Body, answer: Answer): ReceivedMessage {
  const request = readRequest(section('value', bodyOf(body)));
  return new ReceivedMessage(writeResponse(request, ask(operation, body).response(answer)));
}

/** `status condition body`. */
export function written(operation: ManagementOperation, body: Body, answer: Answer): string {
  const response = respond(operation, body, answer);
  const property = (name: string) => notation(response.entry('applicationProperties', name));
  const status = property('statusCode').replace('int ', '');
  return `${status} ${property('errorCondition')} ${notation(response.section('value')?.value)}`;
}
