// The program that sends through the official SDK what the rules of topics decide about, and answers how long it took.

import { ServiceBusClient, type ServiceBusSender } from '@azure/service-bus';

/** Asks for one measurement. */
export type Task = {
  readonly connectionString: string;
  /** A queue or a topic. */
  readonly entity: string;
  /** A multiple of 100. */
  readonly messageCount: number;
  readonly bodyBytes: number;
};

export type Answer = { readonly elapsedMs: number } | { readonly error: string };

const GROUP = 100;
const COLORS = ['red', 'green', 'blue', 'white', 'black', 'gold', 'pink', 'grey', 'cyan', 'lime'];

const senders = new Map<string, ServiceBusSender>();
let sentCount = 0;

process.on('message', async (task: Task) => process.send?.(await perform(task)));
// The process that started this one is gone.
process.on('disconnect', () => process.exit());

async function perform(task: Task): Promise<Answer> {
  try {
    const sender = senderOf(task);
    const body = Buffer.alloc(task.bodyBytes, 'x');
    const startedAt = performance.now();
    for (let count = 0; count < task.messageCount; count += GROUP) {
      await Promise.all(Array.from({ length: GROUP }, () => sender.sendMessages(nextMessage(body))));
    }
    return { elapsedMs: performance.now() - startedAt };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Every color has a tenth of the messages. */
function nextMessage(body: Buffer) {
  sentCount += 1;
  return {
    body,
    messageId: `message-${sentCount}`,
    subject: 'an order',
    applicationProperties: {
      color: COLORS[sentCount % COLORS.length] ?? '',
      quantity: sentCount % 100,
      region: 'EU',
    },
  };
}

function senderOf({ connectionString, entity }: Task): ServiceBusSender {
  const key = `${connectionString} ${entity}`;
  const sender = senders.get(key) ?? new ServiceBusClient(connectionString).createSender(entity);
  senders.set(key, sender);
  return sender;
}
