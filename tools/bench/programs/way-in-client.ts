// The program that sends through the official SDK over TCP or over a WebSocket, and answers how long it took.

import { ServiceBusClient, type ServiceBusClientOptions, type ServiceBusSender } from '@azure/service-bus';
import WebSocket from 'ws';

export type WayIn = 'tcp' | 'ws' | 'wss';

/** Asks for one measurement. */
export type Task = {
  readonly connectionString: string;
  readonly queue: string;
  readonly way: WayIn;
  /** A multiple of 100. */
  readonly messageCount: number;
  readonly bodyBytes: number;
};

export type Answer = { readonly elapsedMs: number } | { readonly error: string };

const GROUP = 100;

/** The SDK knows no other than `wss`. */
class PlainWebSocket extends WebSocket {
  constructor(url: string, protocols?: string | string[], options?: WebSocket.ClientOptions) {
    super(url.replace(/^wss:/, 'ws:'), protocols, options);
  }
}

const OPTIONS: Readonly<Record<WayIn, ServiceBusClientOptions>> = {
  tcp: {},
  ws: { webSocketOptions: { webSocket: PlainWebSocket } },
  wss: {
    webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { rejectUnauthorized: false } },
  },
};

const senders = new Map<WayIn, ServiceBusSender>();

process.on('message', async (task: Task) => process.send?.(await perform(task)));
// The process that started this one is gone.
process.on('disconnect', () => process.exit());

async function perform(task: Task): Promise<Answer> {
  try {
    const sender = senderOf(task);
    const body = Buffer.alloc(task.bodyBytes, 'x');
    const startedAt = performance.now();
    for (let count = 0; count < task.messageCount; count += GROUP) {
      await Promise.all(Array.from({ length: GROUP }, () => sender.sendMessages({ body })));
    }
    return { elapsedMs: performance.now() - startedAt };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function senderOf({ connectionString, queue, way }: Task): ServiceBusSender {
  const sender = senders.get(way) ?? new ServiceBusClient(connectionString, OPTIONS[way]).createSender(queue);
  senders.set(way, sender);
  return sender;
}
