// com.microsoft:peek-message: shows messages of an entity and leaves them as they are (PEEK-01, PEEK-04).

import assert from 'node:assert';
import { encodeForDelivery } from '../../content/splice.js';
import { type ManagementOperation, NOTHING_FOUND, OK } from './management-operation.js';
import { messageList } from './message-list.js';
import { readCount, readFlag, readSequenceNumber, readSessionId } from './request-fields.js';

const FROM_SEQUENCE_NUMBER = 'from-sequence-number';
const MESSAGE_COUNT = 'message-count';
const OMIT_MESSAGE_BODY = 'omit-message-body';
const NO_LOCK = { lockedUntil: undefined, lockToken: undefined };

export const peekMessage: ManagementOperation = (request) => {
  const way = readFlag(request, OMIT_MESSAGE_BODY) === true ? 'peeked-without-body' : 'peeked'; // PEEK-09
  return {
    command: {
      kind: 'peek',
      entityPath: request.entityPath,
      fromSequenceNumber: readSequenceNumber(request, FROM_SEQUENCE_NUMBER),
      maxCount: readCount(request, MESSAGE_COUNT),
      sessionId: readSessionId(request), // PEEK-08
    },
    response(answer) {
      assert(answer.kind === 'messages');
      if (answer.messages.length === 0) return NOTHING_FOUND; // PEEK-02
      const shown = answer.messages.map(({ content, properties }) => ({
        pieces: encodeForDelivery(content, { properties, ...NO_LOCK }, way),
        lockToken: undefined, // PEEK-05
      }));
      return { ...OK, body: messageList(shown) };
    },
  };
};
