// Splits a stream of bytes into its lines, byte for byte.

import { usageError } from '../output/error-report.js';

export type InputLine = {
  /** The number of the line, from 1 on; empty lines count, too. */
  readonly number: number;
  /** The line without its end, `\n` or `\r\n`. */
  readonly bytes: Uint8Array;
};

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** The longest line. The largest message of any tier has 100 MB. */
const LONGEST = 128 * 1024 * 1024;

/** Yields the lines without empty ones. The last line needs no line end. Throws a JitneyError for a line that is too long for a message. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<InputLine> {
  let number = 1;
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(LINE_FEED); end !== -1; end = part.indexOf(LINE_FEED, start)) {
      const bytes = lineIn([...begun, part.subarray(start, end)]);
      if (bytes.length > 0) yield { number, bytes };
      begun = [];
      begunBytes = 0;
      number += 1;
      start = end + 1;
    }
    begun.push(part.subarray(start));
    begunBytes += part.length - start;
    if (begunBytes > LONGEST)
      throw usageError(
        `line ${number} has more than ${LONGEST} bytes, which is more than any message may have`,
      );
  }
  const bytes = lineIn(begun);
  if (bytes.length > 0) yield { number, bytes };
}

function lineIn(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(parts);
  return bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
}
