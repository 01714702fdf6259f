// Reads a page of stored messages with their contents.

import type { Command } from '../broker/command.js';
import type { InspectedMessage } from '../broker/inspection.js';
import type { Result } from '../broker/result.js';
import type { Engine } from '../engine/engine.js';

export type InspectMessages = Extract<Command, { readonly kind: 'inspect-messages' }>;

type FoundContent = { readonly message: InspectedMessage; readonly content: Uint8Array };
export type FoundMessages = { readonly found: readonly FoundContent[]; readonly next: number | undefined };

/** Contents must be asked for before any other turn is handed out. Rejects with a ServiceBusError. */
export function readMessages(
  engine: Pick<Engine, 'submit' | 'readContent'>,
  command: InspectMessages,
): Promise<FoundMessages> {
  return new Promise((resolve, reject) => {
    const completed = (_tag: number, result: Result) => {
      if (result.kind === 'failed') throw result.error;
      if (result.kind !== 'inspected-messages') throw new Error(`an inspection answered '${result.kind}'`);
      const contents = result.messages.map(async (message) => {
        return { message, content: await engine.readContent(message.contentId) };
      });
      Promise.all(contents).then((found) => resolve({ found, next: result.next }), reject);
    };
    engine.submit(command, { completed, faulted: reject }, 0);
  });
}
