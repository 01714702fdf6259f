// The messages that lie in a store of another service when a copy comes to it. What arrives later has higher numbers and is left out, so
// that a copy ends while others send.

import type { MessageBrowser } from '../../client/message-browser.js';
import { sequenceNumberOf } from '../../content/shown-message.js';

type Browser = Pick<MessageBrowser, 'peek'>;

/** The top 16 bits of a number are its partition, and each partition counts for itself. */
const PARTITION_BITS = 48n;

/** Yields them by number, after this one. */
export async function* presentMessages(
  client: { openBrowser(path: string): Promise<Browser> },
  path: string,
  after: bigint,
): AsyncGenerator<Uint8Array> {
  const browser = await client.openBrowser(path);
  for (let from = after + 1n; ; ) {
    const first = await firstNumber(browser, from);
    if (first === undefined) return;
    const nextPartition = ((first >> PARTITION_BITS) + 1n) << PARTITION_BITS;
    const newest = await newestNumber(browser, first, nextPartition);
    for await (const content of browser.peek({ from: first, max: Infinity, numberOf: sequenceNumberOf })) {
      if (sequenceNumberOf(content) > newest) break;
      yield content;
    }
    from = nextPartition;
  }
}

/** The number of the first message from here on. */
async function firstNumber(browser: Browser, from: bigint): Promise<bigint | undefined> {
  for await (const content of browser.peek({ from, max: 1, numberOf: sequenceNumberOf })) {
    const number = sequenceNumberOf(content);
    return number < from ? undefined : number;
  }
  return undefined;
}

/** Finds the last number below the limit. A peek only looks upwards, so this doubles its steps until nothing is there, and then halves them. */
async function newestNumber(browser: Browser, first: bigint, limit: bigint): Promise<bigint> {
  let newest = first;
  let beyond = limit;
  for (let step = 1n; beyond - newest > 1n; ) {
    const isDoubling = beyond === limit && newest + step < limit;
    const probe = isDoubling ? newest + step : (newest + beyond) / 2n;
    const found = await firstNumber(browser, probe);
    if (found === undefined || found >= limit) beyond = probe;
    else newest = found;
    step *= 2n;
  }
  return newest;
}
