// com.microsoft:schedule-message: stores messages that wait for the time each of them names, and tells their numbers (SCH-01).

import assert from 'node:assert';
import type { NewMessage } from '../../broker/message/message-properties.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import { DecodeError } from '../../codec/decode-error.js';
import { bytesOf, entryOf, itemsOf } from '../../codec/read-value.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { readMessage } from '../../content/properties.js';
import { describeValue } from '../describe-value.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { fieldError, type ManagementRequest, readField } from './request-fields.js';

const MESSAGES = 'messages';
/** What else an item has, such as `message-id`, repeats what the message says itself. */
const MESSAGE = 'message';
const SCHEDULED_ENQUEUE_TIME = 'x-opt-scheduled-enqueue-time';
const SEQUENCE_NUMBERS = 'sequence-numbers';

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

/** Or the text of what is wrong. */
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
