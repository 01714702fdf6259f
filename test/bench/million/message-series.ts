// Numbered messages in batches: whoever receives one can tell from its id which it was. Made by copying, so that making them costs next to nothing.

import { randomBytes } from 'node:crypto';
import rhea from 'rhea';

export const BATCH_COUNT = 200;
/** The message-format of a Service Bus batch. */
export const BATCH_FORMAT = 0x80013700;
const BODY_BYTES = 1024;
const ID_PREFIX = 'message-';
const ID_DIGITS = 9;

export function idOfMessage(index: number): string {
  return ID_PREFIX + String(index).padStart(ID_DIGITS, '0');
}

export class MessageSeries {
  /** Bodies are random, or the journal would compress them as it never could a user's. */
  readonly #template = encodeBatch();
  readonly #digitOffsets = Array.from(
    { length: BATCH_COUNT },
    (_, index) => this.#template.indexOf(idOfMessage(index)) + ID_PREFIX.length,
  );

  /** A batch of the messages `from` to `from + BATCH_COUNT - 1`, encoded. */
  batch(from: number): Buffer {
    const batch = Buffer.from(this.#template);
    this.#digitOffsets.forEach((offset, index) => {
      batch.write(String(from + index).padStart(ID_DIGITS, '0'), offset, 'latin1');
    });
    return batch;
  }
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
