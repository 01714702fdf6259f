// com.microsoft:get-message-sessions: names the sessions of an entity, page by page (SES-17).

import assert from 'node:assert';
import { amqp } from '../../codec/types.js';
import { type ManagementOperation, NOTHING_FOUND, OK } from './management-operation.js';
import { type ManagementRequest, readCount, readTimestamp } from './request-fields.js';

const LAST_UPDATED_TIME = 'last-updated-time';
/** Java says besides, as `last-session-id`, where the last page ended; that is what it skips. */
const SKIP = 'skip';
const TOP = 'top';
const SESSION_IDS = 'sessions-ids'; // as the service spells it
/** The greatest time of .NET, by which is asked for all; Java cuts it to the millisecond, Go rounds it up to the year 10000. */
const END_OF_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const getMessageSessions: ManagementOperation = (request) => {
  const skip = readCount(request, SKIP, { least: 0 });
  return {
    command: {
      kind: 'list-sessions',
      entityPath: request.entityPath,
      stateSetAfter: readStateSetAfter(request),
      skip,
      maxCount: readCount(request, TOP),
    },
    response(answer) {
      assert(answer.kind === 'sessions');
      const { sessionIds } = answer;
      if (sessionIds.length === 0) return NOTHING_FOUND;
      return {
        ...OK,
        body: amqp.map([
          // To be skipped for the next page, which Java asks for without counting.
          [amqp.string(SKIP), amqp.int(skip + sessionIds.length)],
          [amqp.string(SESSION_IDS), amqp.stringArray(sessionIds)],
        ]),
      };
    },
  };
};

function readStateSetAfter(request: ManagementRequest): number | undefined {
  const time = readTimestamp(request, LAST_UPDATED_TIME);
  return time === undefined || time >= END_OF_TIME ? undefined : time; // SES-17
}
