// What accept-next and giving a session back cost over the wire, one after another, with a great many sessions to choose from.

import type { JitneyProcess } from '../million/jitney-process.js';
import { idOfSession } from '../million/message-series.js';
import { type HeldSession, withSessionClient } from './session-client.js';

export type EachFigures = {
  readonly count: number;
  readonly meanMs: number;
  readonly longestMs: number;
  /** Of the broker's process, its share of each; undefined where the system does not tell. */
  readonly cpuMs: number | undefined;
};

export type AcceptFigures = { readonly accept: EachFigures; readonly release: EachFigures };

/** All are held at once, or it would be the same session again and again. */
export async function measureAcceptNext(
  jitney: JitneyProcess,
  queue: string,
  { count, warmUpCount }: { count: number; warmUpCount: number },
): Promise<AcceptFigures> {
  return await withSessionClient(jitney.address, queue, async (client) => {
    const round = async (rounds: number): Promise<AcceptFigures> => {
      const held: HeldSession[] = [];
      const accept = await measureEach(jitney, rounds, async (index) => {
        const session = await client.accept(undefined);
        // SES-08: whose message has waited longest.
        if (session.sessionId !== idOfSession(index))
          throw new Error(`accept ${index} got ${session.sessionId}`);
        held.push(session);
      });
      const sessions = held.values();
      const release = await measureEach(jitney, rounds, async () => {
        const { value } = sessions.next();
        if (value !== undefined) await client.release(value);
      });
      return { accept, release };
    };
    await round(warmUpCount);
    return await round(count);
  });
}

async function measureEach(
  jitney: JitneyProcess,
  count: number,
  perform: (index: number) => Promise<void>,
): Promise<EachFigures> {
  const cpuBefore = jitney.cpuMs();
  const startedAt = performance.now();
  let lastAt = startedAt;
  let longestMs = 0;
  for (let index = 0; index < count; index++) {
    await perform(index);
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastAt);
    lastAt = now;
  }
  const cpuAfter = jitney.cpuMs();
  return {
    count,
    meanMs: (lastAt - startedAt) / count,
    longestMs,
    cpuMs: cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / count,
  };
}
