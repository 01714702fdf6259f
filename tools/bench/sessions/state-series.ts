// Sets the state of each of many sessions, several at a time, and knows afterwards what each state is.

import type { Address } from '../million/connection.js';
import { idOfSession } from '../million/message-series.js';
import { Progress } from '../million/progress.js';
import { type SessionClient, withSessionClient } from './session-client.js';

export type StateOptions = {
  readonly queue: string;
  readonly sessionCount: number;
  readonly tell: (line: string) => void;
};

const STATE_BYTES = 64;
/** More would only wait in the client. */
const OPEN_SESSIONS = 50;

export function stateOf(index: number): Buffer {
  return Buffer.from(`state of ${idOfSession(index)}`.padEnd(STATE_BYTES, '.'));
}

/** Milliseconds until the last of them was set. */
export async function setStates(
  address: Address,
  { queue, sessionCount, tell }: StateOptions,
): Promise<number> {
  const progress = new Progress({ goal: sessionCount, tell, what: 'states set' });
  const startedAt = performance.now();
  await withSessionClient(address, queue, async (client) => {
    let nextIndex = 0;
    const work = async () => {
      while (nextIndex < sessionCount) {
        await setState(client, nextIndex++);
        progress.add(1);
      }
    };
    await Promise.all([progress.finished, ...Array.from({ length: OPEN_SESSIONS }, work)]);
  }).catch((error: Error) => {
    progress.fail(error);
    throw error;
  });
  return performance.now() - startedAt;
}

async function setState(client: SessionClient, index: number): Promise<void> {
  const session = await client.accept(idOfSession(index));
  await client.setState(session.sessionId, stateOf(index));
  await client.release(session);
}

/** Throws when it is another than the one that was set. */
export async function readState(address: Address, queue: string, index: number): Promise<void> {
  await withSessionClient(address, queue, async (client) => {
    const session = await client.accept(idOfSession(index));
    const state = await client.state(session.sessionId);
    if (!state.equals(stateOf(index))) throw new Error(`the state of ${session.sessionId} is now ${state}`);
    await client.release(session);
  });
}
