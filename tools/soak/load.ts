// Mixed load: a worker does one of each operation over and over, on entities of its own, of which a round leaves nothing behind.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus';

const QUEUES = {
  plain: 'maxDeliveryCount=3&lockDuration=PT30S',
  sessions: 'requiresSession=true',
  unique: 'requiresDuplicateDetection=true&duplicateDetectionHistoryTimeWindow=PT20S',
  to: '',
  short: 'defaultMessageTimeToLive=PT1S&deadLetteringOnMessageExpiration=true',
} as const;

/** The arguments that create the entities of so many workers, whose names end with their number. */
export function entitiesFor(workers: number): readonly string[] {
  return Array.from({ length: workers }, (_, worker) => [
    ...Object.entries(QUEUES).flatMap(([name, query]) => ['--queue', `${name}-${worker}?${query}`]),
    ...['--queue', `from-${worker}?forwardTo=to-${worker}`],
    ...['--topic', `events-${worker}/all+some`],
  ]).flat();
}

const ROUNDS_OF_A_CLIENT = 20;
const LARGE_BYTES = 200_000;
const WAIT_MS = 5000;
const EXPIRED_AFTER_MS = 1100;
/** A new object each time, because the SDK deletes the mode from the one that it gets. */
const deadLetters = () => ({ subQueueType: 'deadLetter', receiveMode: 'receiveAndDelete' }) as const;

/** Works until the signal. Returns the number of rounds. */
export async function work(connectionString: string, worker: number, signal: AbortSignal): Promise<number> {
  let rounds = 0;
  while (!signal.aborted) {
    const client = new ServiceBusClient(connectionString);
    for (let round = 0; round < ROUNDS_OF_A_CLIENT && !signal.aborted; round++) {
      await oneRound(client, worker);
      rounds += 1;
    }
    await client.close();
  }
  return rounds;
}

async function oneRound(client: ServiceBusClient, worker: number): Promise<void> {
  await settleInAllWays(client, worker);
  await useSession(client, worker);
  await publish(client, worker);
  await forwardAndSendTwice(client, worker);
  await schedule(client, worker);
  await expire(client, worker);
}

async function settleInAllWays(client: ServiceBusClient, worker: number): Promise<void> {
  const sender = client.createSender(`plain-${worker}`);
  const receiver = client.createReceiver(`plain-${worker}`);
  const bodies = Array.from({ length: 20 }, (_, index) => ({ body: index }));
  await sender.sendMessages([...bodies, { body: Buffer.alloc(LARGE_BYTES) }]);
  let last: ServiceBusReceivedMessage | undefined;
  for (let open = 21; open > 0; ) {
    const messages = await receiver.receiveMessages(open, { maxWaitTimeInMs: WAIT_MS });
    if (messages.length === 0) break; // another worker has taken the rest
    for (const [index, message] of messages.entries()) {
      if (index === 0 && message.deliveryCount === 0) await receiver.abandonMessage(message);
      else if (index === 1)
        await receiver.deadLetterMessage(message, {
          deadLetterReason: 'soak',
          deadLetterErrorDescription: 'x',
        });
      else if (index === 2) {
        await receiver.deferMessage(message);
        last = message;
      } else await receiver.completeMessage(message);
      if (index !== 0) open -= 1;
    }
    const [deferred] = last?.sequenceNumber
      ? await receiver.receiveDeferredMessages(last.sequenceNumber)
      : [];
    if (deferred !== undefined) await receiver.completeMessage(deferred);
    last = undefined;
  }
  await receiver.peekMessages(10);
  await empty(client.createReceiver(`plain-${worker}`, deadLetters()));
  await Promise.all([sender.close(), receiver.close()]);
}

async function useSession(client: ServiceBusClient, worker: number): Promise<void> {
  // The SDK cannot remove a state: `null` is one like any other, and a session with a state stays.
  const sessionId = 'the only one';
  const sender = client.createSender(`sessions-${worker}`);
  await sender.sendMessages(Array.from({ length: 10 }, (_, index) => ({ body: index, sessionId })));
  const receiver = await client.acceptSession(`sessions-${worker}`, sessionId);
  await receiver.setSessionState({ seen: 1 });
  await receiver.renewSessionLock();
  for (const message of await receiver.receiveMessages(10, { maxWaitTimeInMs: WAIT_MS })) {
    await receiver.completeMessage(message);
  }
  await receiver.setSessionState(null);
  await Promise.all([sender.close(), receiver.close()]);
}

async function publish(client: ServiceBusClient, worker: number): Promise<void> {
  const sender = client.createSender(`events-${worker}`);
  await sender.sendMessages(Array.from({ length: 10 }, (_, index) => ({ body: index, subject: 'event' })));
  await sender.close();
  for (const name of ['all', 'some']) {
    await empty(client.createReceiver(`events-${worker}`, name, { receiveMode: 'receiveAndDelete' }));
  }
}

async function forwardAndSendTwice(client: ServiceBusClient, worker: number): Promise<void> {
  const from = client.createSender(`from-${worker}`);
  await from.sendMessages([{ body: 'on' }, { body: 'and on' }]);
  await from.close();
  await empty(client.createReceiver(`to-${worker}`, { receiveMode: 'receiveAndDelete' }));
  const unique = client.createSender(`unique-${worker}`);
  const message = { body: 'once', messageId: randomUUID() };
  await unique.sendMessages(message);
  await unique.sendMessages(message);
  await unique.close();
  await empty(client.createReceiver(`unique-${worker}`, { receiveMode: 'receiveAndDelete' }));
}

async function schedule(client: ServiceBusClient, worker: number): Promise<void> {
  const sender = client.createSender(`to-${worker}`);
  const later = new Date(Date.now() + 60_000);
  const numbers = await sender.scheduleMessages([{ body: 1 }, { body: 2 }], later);
  await sender.cancelScheduledMessages(numbers);
  await sender.scheduleMessages({ body: 'now' }, new Date());
  await sender.close();
  await empty(client.createReceiver(`to-${worker}`, { receiveMode: 'receiveAndDelete' }));
}

async function expire(client: ServiceBusClient, worker: number): Promise<void> {
  const sender = client.createSender(`short-${worker}`);
  await sender.sendMessages({ body: 'gone soon' });
  await sender.close();
  await sleep(EXPIRED_AFTER_MS);
  await empty(client.createReceiver(`short-${worker}`, deadLetters()));
}

async function empty(receiver: ReturnType<ServiceBusClient['createReceiver']>): Promise<void> {
  for (;;) {
    const messages = await receiver.receiveMessages(50, { maxWaitTimeInMs: 50 });
    if (messages.length === 0) break;
  }
  await receiver.close();
}
