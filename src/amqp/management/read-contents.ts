// Reads the contents that a result names. To be called while the result is told: what its turn has removed is kept that long.

import type { FoundMessage } from '../../broker/result.js';
import type { Engine } from '../../engine/engine.js';
import type { ReadAnswer, ReadMessage } from './management-operation.js';

/** All at the same time. */
export async function readMessages(engine: Engine, found: readonly FoundMessage[]): Promise<ReadAnswer> {
  const messages = found.map(async (message): Promise<ReadMessage> => {
    const content = await engine.readContent(message.contentId);
    return { ...message, content };
  });
  return { kind: 'messages', messages: await Promise.all(messages) };
}

export async function readState(engine: Engine, contentId: number | undefined): Promise<ReadAnswer> {
  const state = contentId === undefined ? undefined : await engine.readContent(contentId);
  return { kind: 'session-state', state };
}
