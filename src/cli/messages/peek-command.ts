// `jitney peek` and `jitney dead-letter list`: prints messages of an entity and leaves them as they are.

import type { AmqpClient } from '../../client/amqp-client.js';
import { encodeResent } from '../../content/resent-message.js';
import { describeMessage, sequenceNumberOf } from '../../content/shown-message.js';
import type { CommandContext } from '../output/command-context.js';
import { jsonLine, messageText } from './message-lines.js';

type Peeking = {
  readonly path: string;
  readonly from: bigint;
  /** Infinity for all. */
  readonly max: number;
  readonly sessionId: string | undefined;
  readonly isJson: boolean;
  /** Whether each line also has the bytes of the message, so that `load` takes it back without loss. */
  readonly isRaw: boolean;
};

type PeekContext = Pick<CommandContext, 'print' | 'stderr'> & {
  /** Explains why an entity may have no messages. */
  readonly explainEmpty: () => Promise<string | undefined>;
};

/** Resolves with 0, even if there is no message. */
export async function runPeek(
  client: AmqpClient,
  { path, isJson, isRaw, ...peeking }: Peeking,
  { print, stderr, explainEmpty }: PeekContext,
): Promise<number> {
  const browser = await client.openBrowser(path);
  const format = isJson ? jsonLine : messageText;
  let isEmpty = true;
  for await (const content of browser.peek({ ...peeking, numberOf: sequenceNumberOf })) {
    isEmpty = false;
    const message = describeMessage(content, 'peeked');
    const text = isRaw ? jsonLine({ ...message, raw: rawOf(content) }) : format(message);
    if (!(await print(text))) break;
  }
  if (isEmpty) {
    stderr(`No messages in ${path}${limitsOf(peeking)}\n`);
    const why = await explainEmpty();
    if (why !== undefined) stderr(`${why}\n`);
  }
  return 0;
}

/** The sections of the sender, without what the broker adds: the other fields tell that. */
function rawOf(content: Uint8Array): { readonly base64: string } {
  const sent = encodeResent(content, { now: Date.now(), keepsSchedule: true });
  return { base64: Buffer.from(sent).toString('base64') };
}

/** Names the part of the entity that was searched. */
function limitsOf({ sessionId, from }: Pick<Peeking, 'sessionId' | 'from'>): string {
  const session = sessionId === undefined ? '' : `, session ${JSON.stringify(sessionId)}`;
  return `${session}${from > 1n ? `, from number ${from} on` : ''}`;
}
