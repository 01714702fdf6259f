// Loaded into the emulator before its own program: says how long its main thread worked for one client while nobody else had a turn, and
// what is alive in it.

import { Socket } from 'node:net';
import { type LoopTurn, watchTurns } from '../turns/turn-watch.js';

export type Question = 'turn' | 'alive';
/** Milliseconds of the longest turn since the last question, or bytes after a collection. */
export type Answer = { readonly value: number };

/** The first frees what the next can then collect. */
const COLLECTIONS = 3;

let longestMs = 0;
/** The turn of a question is not the emulator's own: a collection may be long. */
let isAsked = false;

const watch = watchTurns(({ ms }: LoopTurn) => {
  if (!isAsked) longestMs = Math.max(longestMs, ms);
  isAsked = false;
});

// One turn of the event loop reads from all clients who have sent something, which are hundreds when the process had no processor for a
// while. Each of these has its turn.
const { push } = Socket.prototype;
let lastRead: Socket | undefined;
Socket.prototype.push = function pushAndMark(this: Socket, ...given: Parameters<typeof push>): boolean {
  if (lastRead !== this) watch.mark();
  lastRead = this;
  return push.apply(this, given);
};
process.on('message', ({ question }: { readonly question: Question }) => {
  isAsked = true;
  process.send?.({ value: question === 'turn' ? longestMs : aliveBytes() } satisfies Answer);
  if (question === 'turn') longestMs = 0;
});
// An emulator never outlives the crowd, however that ends.
process.on('disconnect', () => process.exit());
process.channel?.unref();

function aliveBytes(): number {
  for (let collection = 0; collection < COLLECTIONS; collection++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
