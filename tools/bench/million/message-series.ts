// Numbered messages in batches: whoever receives one can tell from its id which it was. Made by copying, so that making them costs next to nothing.

import { randomBytes } from 'node:crypto';
import rhea from 'rhea';

export const BATCH_COUNT = 200;
/** The message-format of a Service Bus batch. */
export const BATCH_FORMAT = 0x80013700;
const BODY_BYTES = 1024;
const ID_DIGITS = 9;

export function idOfMessage(index: number): string {
  return `message-${digits(index)}`;
}

export class MessageSeries {
  /** Bodies are random, or the journal would compress them as it never could a user's. */
  readonly #template = encodeBatch();
  /** Of each message, where the digits of its id are. */
  readonly #digitOffsets = Array.from({ length: BATCH_COUNT }, (_, index) => {
    const id = idOfMessage(index);
    return this.#template.indexOf(id) + id.length - ID_DIGITS;
  });

  /** A batch of the messages `from` to `from + BATCH_COUNT - 1`, encoded. */
  batch(from: number): Buffer {
    const batch = Buffer.from(this.#template);
    for (const [index, offset] of this.#digitOffsets.entries()) {
      batch.write(digits(from + index), offset, 'latin1');
    }
    return batch;
  }
}

function digits(index: number): string {
  return String(index).padStart(ID_DIGITS, '0');
}

function encodeBatch(): Buffer {
  const messages = Array.from({ length: BATCH_COUNT }, (_, index) =>
    rhea.message.encode({
      message_id: idOfMessage(index),
      body: rhea.message.data_section(randomBytes(BODY_BYTES)),
    }),
  );
  return rhea.message.encode({ body: rhea.message.data_sections(messages) });
}
