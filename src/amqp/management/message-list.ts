// The body of a response that brings messages: each is written once, straight from its pieces, as they may be large.

import type { ByteWriter } from '../../codec/byte-writer.js';
import { amqp } from '../../codec/types.js';
import type { BodyWriter } from '../request-message.js';

export type ListedMessage = {
  /** The encoded message, in pieces that stand one behind the other. */
  readonly pieces: readonly Buffer[];
  readonly lockToken: string | undefined;
};

const MESSAGES = 'messages';
const MESSAGE = 'message';
const LOCK_TOKEN = 'lock-token';
const LIST32 = 0xd0;
const MAP32 = 0xd1;
const BINARY32 = 0xb0;

/** `{messages: [{message, lock-token}, ...]}`: a list, as Go takes no array. */
export function messageList(messages: readonly ListedMessage[]): BodyWriter {
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
