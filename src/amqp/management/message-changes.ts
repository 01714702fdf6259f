// Operations that change messages: schedule and cancel, renew locks, settle, delete.

import assert from 'node:assert';
import type { Outcome } from '../../broker/contract/command.js';
import { NEVER } from '../../broker/contract/instant.js';
import type { NewMessage, PropertyChange } from '../../broker/contract/message-properties.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { DecodeError } from '../../codec/decode-error.js';
import { bytesOf, entryOf, itemsOf, textOf } from '../../codec/read-value.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { propertyChangesOf } from '../../content/property-changes.js';
import { readMessage } from '../../content/read-message.js';
import { describeValue } from '../describe-value.js';
import {
  type ManagementOperation,
  type ManagementRequest,
  NOTHING_FOUND,
  OK,
} from './management-operation.js';
import {
  fieldError,
  readCount,
  readEncodedMap,
  readField,
  readLockTokens,
  readSequenceNumbers,
  readSession,
  readText,
  readTimestamp,
} from './request-fields.js';

const MESSAGES = 'messages';
/** The only field that is read: the others, such as `message-id`, repeat what the message contains. */
const MESSAGE = 'message';
const SCHEDULED_ENQUEUE_TIME = 'x-opt-scheduled-enqueue-time';
const SEQUENCE_NUMBERS = 'sequence-numbers';
const EXPIRATIONS = 'expirations';
const DISPOSITION_STATUS = 'disposition-status';
const PROPERTIES_TO_MODIFY = 'properties-to-modify';
/** The fields of a dead-lettering, and the properties that they set (DLQ-05). */
const DEAD_LETTER_TEXTS = [
  { field: 'deadletter-reason', property: 'DeadLetterReason' },
  { field: 'deadletter-description', property: 'DeadLetterErrorDescription' },
] as const;
const MESSAGE_COUNT = 'message-count';
const ENQUEUED_TIME = 'enqueued-time-utc';

/** com.microsoft:schedule-message: schedules messages, and returns their sequence numbers (SCH-01). */
export const scheduleMessage: ManagementOperation = (request) => ({
  command: {
    kind: 'send',
    entityPath: request.entityPath,
    messages: readMessages(request),
    reservesNumbers: true, // SCH-04
  },
  response(answer) {
    assert(answer.kind === 'sent');
    return {
      ...OK,
      body: amqp.map([[amqp.string(SEQUENCE_NUMBERS), amqp.longArray(answer.sequenceNumbers)]]), // SCH-01
    };
  },
});

function readMessages(request: ManagementRequest): readonly NewMessage[] {
  const items = itemsOf(readField(request, MESSAGES));
  if (items === undefined || items.length === 0) {
    throw fieldError(request, {
      name: MESSAGES,
      wanted: `a list of one or more maps, each with an encoded AMQP message as the binary '${MESSAGE}'`,
    });
  }
  return items.map((item, index) => {
    const message = readScheduled(item);
    if (typeof message !== 'string') return message;
    const data = { entityPath: request.entityPath, property: MESSAGES, value: index };
    throw new ServiceBusError('argument', `Item ${index} of '${MESSAGES}': ${message}`, data);
  });
}

/** The message, or a text that says what is wrong with it. */
function readScheduled(item: AmqpValue): NewMessage | string {
  const field = entryOf(item, MESSAGE);
  const bytes = bytesOf(field);
  if (bytes === undefined) {
    return `its '${MESSAGE}' is ${describeValue(field)}; it must be a binary that holds an encoded AMQP message.`;
  }
  try {
    const message = readMessage(bytes);
    if (message.scheduledEnqueueTime !== undefined) return message;
    return `its '${MESSAGE}' has no annotation ${SCHEDULED_ENQUEUE_TIME}; set it to the timestamp to enqueue the message at.`;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `its '${MESSAGE}' is not a valid AMQP message: ${error.message}.`;
  }
}

/** com.microsoft:cancel-scheduled-message: cancels scheduled messages, all or none (SCH-06). */
export const cancelScheduledMessage: ManagementOperation = (request) => ({
  command: {
    kind: 'cancel-scheduled',
    entityPath: request.entityPath,
    sequenceNumbers: readSequenceNumbers(request, { canBeEmpty: false }),
  },
  response: () => OK,
});

/** com.microsoft:renew-lock: renews the locks of messages (RCV-08). */
export const renewLock: ManagementOperation = (request) => ({
  command: {
    kind: 'renew-lock',
    entityPath: request.entityPath,
    lockTokens: readLockTokens(request),
  },
  response(answer) {
    assert(answer.kind === 'renewed');
    return { ...OK, body: amqp.map([[amqp.string(EXPIRATIONS), amqp.timestampArray(answer.lockedUntil)]]) };
  },
});

/** com.microsoft:update-disposition: settles messages by their lock tokens, even when their link is gone (SET-08, DEF-05). */
export const updateDisposition: ManagementOperation = (request) => ({
  command: {
    kind: 'settle-many',
    entityPath: request.entityPath,
    lockTokens: readLockTokens(request),
    outcome: readOutcome(request),
    session: readSession(request), // SET-09
  },
  response: () => OK,
});

function readOutcome(request: ManagementRequest): Outcome {
  const changes = propertyChangesOf(readEncodedMap(request, PROPERTIES_TO_MODIFY)); // SET-07
  // SET-08
  switch (textOf(readField(request, DISPOSITION_STATUS))) {
    case 'completed':
      return { kind: 'complete' };
    case 'abandoned':
      return { kind: 'abandon', changes };
    case 'defered': // as all SDKs write it
    case 'deferred':
      return { kind: 'defer', changes };
    case 'suspended': // the service's word for dead-lettering
      return { kind: 'dead-letter', changes: [...changes, ...readDeadLetterTexts(request)] };
    default:
      throw fieldError(request, {
        name: DISPOSITION_STATUS,
        wanted: "'completed', 'abandoned', 'defered' or 'suspended'",
      });
  }
}

function readDeadLetterTexts(request: ManagementRequest): PropertyChange[] {
  const changes: PropertyChange[] = [];
  for (const { field, property } of DEAD_LETTER_TEXTS) {
    const value = readText(request, field);
    if (value !== undefined) changes.push({ name: property, value }); // DLQ-05
  }
  return changes;
}

/** com.microsoft:batch-delete-messages: deletes the oldest messages that are not locked, and returns their number (DEL-01). */
export const batchDeleteMessages: ManagementOperation = (request) => ({
  command: {
    kind: 'delete-messages',
    entityPath: request.entityPath,
    maxCount: readCount(request, MESSAGE_COUNT),
    enqueuedBefore: readTimestamp(request, ENQUEUED_TIME) ?? NEVER,
    session: readSession(request),
  },
  response(answer) {
    assert(answer.kind === 'deleted');
    if (answer.count === 0) return NOTHING_FOUND;
    return { ...OK, body: amqp.map([[amqp.string(MESSAGE_COUNT), amqp.int(answer.count)]]) };
  },
});
