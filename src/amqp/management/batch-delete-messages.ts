// com.microsoft:batch-delete-messages: deletes the oldest messages that nobody holds, and says how many (DEL-01).

import assert from 'node:assert';
import { NEVER } from '../../broker/instant.js';
import { amqp } from '../../codec/types.js';
import { type ManagementOperation, NOTHING_FOUND, OK } from './management-operation.js';
import { readCount, readSession, readTimestamp } from './request-fields.js';

const MESSAGE_COUNT = 'message-count';
const ENQUEUED_TIME = 'enqueued-time-utc';

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
