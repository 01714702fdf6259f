// Reads a page of stored messages with their contents.

import type { Command } from '../broker/contract/command.js';
import type { InspectedMessage } from '../broker/contract/inspection.js';
import type { Result } from '../broker/contract/result.js';
import type { Engine } from '../engine/engine.js';

export type InspectMessages = Extract<Command, { readonly kind: 'inspect-messages' }>;

type FoundContent = { readonly message: InspectedMessage; readonly content: Uint8Array };
export type FoundMessages = {
  readonly found: readonly FoundContent[];
  readonly next: number | undefined;
  /** All messages of the store in the wanted conditions. */
  readonly totalCount: number;
};

type ReadOptions = {
  /** Waits for memory for so many bytes before they are read. Default: does not wait. */
  readonly room?: ((bytes: number) => Promise<void> | undefined) | undefined;
  readonly attempt?: number;
};

/** The most attempts to read a page that has only messages with unreadable contents. */
const MAX_ATTEMPTS = 100;

/**
 * Reads messages. Their contents must be requested before any other turn is handed out. A message with an unreadable content is left out;
 * it has become a dead letter with an empty body. Rejects with a ServiceBusError.
 */
export function readMessages(
  engine: Pick<Engine, 'submit' | 'readMessage'>,
  command: InspectMessages,
  { room, attempt = 1 }: ReadOptions = {},
): Promise<FoundMessages> {
  return new Promise((resolve, reject) => {
    const completed = (_tag: number, result: Result) => {
      if (result.kind === 'failed') throw result.error;
      if (result.kind !== 'inspected-messages') throw new Error(`an inspection answered '${result.kind}'`);
      const { messages, next, totalCount } = result;
      const ready = room?.(messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
      readContents(engine, messages, ready).then((found) => {
        const isAgain = found.length === 0 && messages.length > 0 && attempt < MAX_ATTEMPTS;
        if (isAgain) resolve(readMessages(engine, command, { room, attempt: attempt + 1 }));
        else resolve({ found, next, totalCount });
      }, reject);
    };
    engine.submit(command, { completed, faulted: reject }, 0);
  });
}

async function readContents(
  engine: Pick<Engine, 'readMessage'>,
  messages: readonly InspectedMessage[],
  ready: Promise<void> | undefined,
): Promise<readonly FoundContent[]> {
  const contents = new Map<InspectedMessage, Promise<Uint8Array | undefined>>();
  // In the order in which they were stored: a journal reads what follows a content along with it.
  for (const message of messages.toSorted((a, b) => a.contentId - b.contentId)) {
    contents.set(message, engine.readMessage(message, ready));
  }
  const read = messages.map(async (message): Promise<FoundContent | undefined> => {
    const content = await contents.get(message);
    return content === undefined ? undefined : { message, content };
  });
  return (await Promise.all(read)).filter((one) => one !== undefined);
}
