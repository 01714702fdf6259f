// Operations that return messages: peek, and receive deferred messages by their sequence numbers.

import assert from 'node:assert';
import type { ReceiveMode } from '../../broker/contract/command.js';
import type { ByteWriter } from '../../codec/byte-writer.js';
import { integerOf } from '../../codec/read-value.js';
import { amqp } from '../../codec/types.js';
import { inSession } from '../../content/annotations-splice.js';
import { encodeForDelivery } from '../../content/splice.js';
import {
  type ManagementOperation,
  type ManagementRequest,
  NOTHING_FOUND,
  OK,
} from './management-operation.js';
import {
  fieldError,
  readCount,
  readField,
  readFlag,
  readLong,
  readSequenceNumbers,
  readSession,
  readSessionId,
} from './request-fields.js';
import type { BodyWriter } from './request-message.js';

const FROM_SEQUENCE_NUMBER = 'from-sequence-number';
const MESSAGE_COUNT = 'message-count';
const OMIT_MESSAGE_BODY = 'omit-message-body';
const NO_LOCK = { lockedUntil: undefined, lockToken: undefined };
const RECEIVER_SETTLE_MODE = 'receiver-settle-mode';
/** The receive modes for the values 0 and 1 of `receiver-settle-mode`. */
const RECEIVE_MODES: readonly ReceiveMode[] = ['receive-and-delete', 'peek-lock'];
const MESSAGES = 'messages';
const MESSAGE = 'message';
const LOCK_TOKEN = 'lock-token';
const LIST32 = 0xd0;
const MAP32 = 0xd1;
const BINARY32 = 0xb0;

/** com.microsoft:peek-message: shows messages of an entity and changes nothing about them (PEEK-01, PEEK-04). */
export const peekMessage: ManagementOperation = (request) => {
  const form = readFlag(request, OMIT_MESSAGE_BODY) === true ? 'peeked-without-body' : 'peeked'; // PEEK-09
  return {
    command: {
      kind: 'peek',
      entityPath: request.entityPath,
      fromSequenceNumber: readLong(request, FROM_SEQUENCE_NUMBER),
      maxCount: readCount(request, MESSAGE_COUNT),
      sessionId: readSessionId(request), // PEEK-08
    },
    response(answer) {
      assert(answer.kind === 'messages');
      if (answer.messages.length === 0) return NOTHING_FOUND; // PEEK-02
      const shown = answer.messages.map(({ content, properties }) => ({
        pieces: encodeForDelivery(content, { properties, ...NO_LOCK }, form),
        lockToken: undefined, // PEEK-05
      }));
      return { ...OK, body: messageList(shown) };
    },
  };
};

/** com.microsoft:receive-by-sequence-number: receives deferred messages, all that are named or none (DEF-02, DEF-03). */
export const receiveBySequenceNumber: ManagementOperation = (request) => {
  const session = readSession(request); // DEF-07
  return {
    command: {
      kind: 'receive-deferred',
      entityPath: request.entityPath,
      sequenceNumbers: readSequenceNumbers(request, { canBeEmpty: true }), // DEF-04
      receiveMode: readReceiveMode(request),
      session,
    },
    response(answer) {
      assert(answer.kind === 'messages');
      const received = answer.messages.map((message) => {
        const delivery = session === undefined ? message : inSession(message);
        // DEF-02: Go, Python and .NET read the token from the message, because there is no delivery tag.
        const pieces = encodeForDelivery(message.content, delivery, 'received-by-number');
        return { pieces, lockToken: message.lockToken };
      });
      return { ...OK, body: messageList(received) };
    },
  };
};

function readReceiveMode(request: ManagementRequest): ReceiveMode {
  const number = integerOf(readField(request, RECEIVER_SETTLE_MODE));
  const receiveMode = number === undefined ? undefined : RECEIVE_MODES[number];
  if (receiveMode !== undefined) return receiveMode;
  throw fieldError(request, {
    name: RECEIVER_SETTLE_MODE,
    wanted: 'uint 0 for receive-and-delete or uint 1 for peek-lock',
  });
}

type ListedMessage = {
  /** The encoded message, in pieces that are written one after the other. */
  readonly pieces: readonly Buffer[];
  readonly lockToken: string | undefined;
};

/** `{messages: [{message, lock-token}, ...]}`: a list, because Go accepts no array. Each message, which may be large, is copied once. */
function messageList(messages: readonly ListedMessage[]): BodyWriter {
  return (writer) =>
    writer.compound32(MAP32, () => {
      writer.string(MESSAGES);
      writer.compound32(LIST32, () => {
        for (const message of messages) writeMessage(writer, message);
        return messages.length;
      });
      return 2;
    });
}

function writeMessage(writer: ByteWriter, { pieces, lockToken }: ListedMessage): void {
  writer.compound32(MAP32, () => {
    writer.string(MESSAGE);
    writer.byte(BINARY32);
    writer.uint32(pieces.reduce((sum, piece) => sum + piece.length, 0));
    for (const piece of pieces) writer.bytes(piece);
    if (lockToken === undefined) return 2;
    writer.string(LOCK_TOKEN);
    writer.value(amqp.uuid(lockToken));
    return 4;
  });
}
