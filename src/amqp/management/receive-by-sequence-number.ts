// com.microsoft:receive-by-sequence-number: takes deferred messages, all that are asked for or none (DEF-02, DEF-03).

import assert from 'node:assert';
import type { ReceiveMode } from '../../broker/command.js';
import { integerOf } from '../../codec/read-value.js';
import { encodeForDelivery } from '../../content/splice.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { messageList } from './message-list.js';
import {
  fieldError,
  type ManagementRequest,
  readField,
  readSequenceNumbers,
  readSession,
} from './request-fields.js';

const RECEIVER_SETTLE_MODE = 'receiver-settle-mode';
/** By the number that stands for it. */
const RECEIVE_MODES: readonly ReceiveMode[] = ['receive-and-delete', 'peek-lock'];

export const receiveBySequenceNumber: ManagementOperation = (request) => ({
  command: {
    kind: 'receive-deferred',
    entityPath: request.entityPath,
    sequenceNumbers: readSequenceNumbers(request, { canBeEmpty: true }), // DEF-04
    receiveMode: readReceiveMode(request),
    session: readSession(request), // DEF-07
  },
  response(answer) {
    assert(answer.kind === 'messages');
    const received = answer.messages.map((message) => ({
      // DEF-02: Go, Python and .NET read the token from the message, as there is no delivery tag to read it from.
      pieces: encodeForDelivery(message.content, message, 'received-by-number'),
      lockToken: message.lockToken,
    }));
    return { ...OK, body: messageList(received) };
  },
});

function readReceiveMode(request: ManagementRequest): ReceiveMode {
  const number = integerOf(readField(request, RECEIVER_SETTLE_MODE));
  const receiveMode = number === undefined ? undefined : RECEIVE_MODES[number];
  if (receiveMode !== undefined) return receiveMode;
  throw fieldError(request, {
    name: RECEIVER_SETTLE_MODE,
    wanted: 'uint 0 for receive-and-delete or uint 1 for peek-lock',
  });
}
