// The program that uses the official SDK: runs a scenario against a broker when told to, and answers how long it took.

import { ServiceBusClient } from '@azure/service-bus';
import { QUEUE, type QueueClient, SCENARIOS, type ScenarioName } from '../scenarios.js';

/** Asks for one measurement. */
export type Task = {
  readonly connectionString: string;
  readonly scenario: ScenarioName;
};

export type Answer = { readonly elapsedMs: number } | { readonly error: string };

const clients = new Map<string, QueueClient>();

process.on('message', async (task: Task) => process.send?.(await perform(task)));
// The process that started this one is gone.
process.on('disconnect', () => process.exit());

async function perform({ connectionString, scenario }: Task): Promise<Answer> {
  try {
    const client = clientOf(connectionString);
    const { run, messageCount } = SCENARIOS[scenario];
    const startedAt = performance.now();
    await run(client, messageCount);
    return { elapsedMs: performance.now() - startedAt };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function clientOf(connectionString: string): QueueClient {
  const known = clients.get(connectionString);
  if (known !== undefined) return known;
  const client = new ServiceBusClient(connectionString);
  const opened: QueueClient = {
    sender: client.createSender(QUEUE),
    peekLock: client.createReceiver(QUEUE, { receiveMode: 'peekLock' }),
    receiveAndDelete: client.createReceiver(QUEUE, { receiveMode: 'receiveAndDelete' }),
  };
  clients.set(connectionString, opened);
  return opened;
}
