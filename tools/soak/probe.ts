// What a Node process holds after a collection, asked through its inspector: memory, timers, sockets, files.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import WebSocket from 'ws';

export type Holdings = {
  /** After a full collection: objects, and bytes outside of the heap. */
  readonly memoryMb: number;
  readonly fileCount: number;
  /** Timers, sockets and so on by their kind, such as `{ Timeout: 3 }`. */
  readonly resources: Readonly<Record<string, number>>;
};

const MIB = 1024 * 1024;
const EXPRESSION =
  'JSON.stringify({ memory: process.memoryUsage(), resources: process.getActiveResourcesInfo() })';

type Answer = { readonly id: number; readonly result?: { readonly result?: { readonly value?: string } } };
type Asked = {
  readonly memory: { readonly heapUsed: number; readonly external: number };
  readonly resources: readonly string[];
};

/** `url` is what Node prints with `--inspect`. */
export async function probe(url: string, pid: number): Promise<Holdings> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let lastId = 0;
  const ask = async (method: string, params: object = {}): Promise<Answer> => {
    lastId += 1;
    const id = lastId;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = await once(socket, 'message');
      const answer: Answer = JSON.parse(String(data));
      if (answer.id === id) return answer;
    }
  };
  for (let time = 0; time < 3; time++) await ask('HeapProfiler.collectGarbage');
  const { result } = await ask('Runtime.evaluate', { expression: EXPRESSION });
  socket.close();
  const { memory, resources }: Asked = JSON.parse(result?.result?.value ?? '');
  const counts: Record<string, number> = {};
  for (const kind of resources) counts[kind] = (counts[kind] ?? 0) + 1;
  return {
    memoryMb: (memory.heapUsed + memory.external) / MIB,
    fileCount: readdirSync(`/proc/${pid}/fd`).length,
    resources: counts,
  };
}
