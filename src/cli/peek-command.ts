// `jitney peek` and `jitney dead-letter list`: prints messages of an entity and leaves them as they are.

import type { AmqpClient } from '../client/amqp-client.js';
import { describeMessage, sequenceNumberOf } from '../content/describe-content.js';
import { jsonLine, messageText } from './message-lines.js';
import type { Print } from './output.js';

type Peeking = {
  readonly path: string;
  readonly from: bigint;
  /** Infinity: all. */
  readonly max: number;
  readonly sessionId: string | undefined;
  readonly isJson: boolean;
};

/** Ends with 0 also when there is none. */
export async function runPeek(
  client: AmqpClient,
  { path, isJson, ...peeking }: Peeking,
  { print }: { readonly print: Print },
): Promise<number> {
  const browser = await client.openBrowser(path);
  const format = isJson ? jsonLine : messageText;
  for await (const content of browser.peek({ ...peeking, numberOf: sequenceNumberOf })) {
    if (!(await print(format(describeMessage(content, 'peeked'))))) break;
  }
  return 0;
}
