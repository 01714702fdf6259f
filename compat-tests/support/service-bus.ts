// Small conveniences around the official SDK: a client that closes itself, and the question "what is left in this queue".

import {
  ServiceBusClient,
  type ServiceBusClientOptions,
  type ServiceBusMessage,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from '@azure/service-bus';

export type ClosingClient = ServiceBusClient & AsyncDisposable;

/** A topic and one of its subscriptions. */
export type SubscriptionName = readonly [topic: string, subscription: string];

/** How long an SDK receiver waits before a test believes that nothing comes. */
export const NOTHING_COMES_MS = 300;

const MESSAGES_PER_CALL = 500;
/** A message that is there comes long before; one that takes longer is missing. */
const COMES_MS = 30_000;

export function connect(connectionString: string, options?: ServiceBusClientOptions): ClosingClient {
  const client = new ServiceBusClient(connectionString, options);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

export async function sendBodies(
  client: ServiceBusClient,
  queue: string,
  bodies: readonly unknown[],
  properties: Omit<ServiceBusMessage, 'body'> = {},
): Promise<void> {
  const sender = client.createSender(queue);
  await sender.sendMessages(bodies.map((body) => ({ body, ...properties })));
  await sender.close();
}

/** Takes everything out of a queue or of its dead-letter queue, in order. */
export function takeAll(
  client: ServiceBusClient,
  queue: string,
  subQueue?: 'deadLetter',
): Promise<ServiceBusReceivedMessage[]> {
  return drain(client.createReceiver(queue, takingOptions(subQueue)));
}

/** The same of a subscription. */
export function takeAllOf(
  client: ServiceBusClient,
  [topic, subscription]: SubscriptionName,
  subQueue?: 'deadLetter',
): Promise<ServiceBusReceivedMessage[]> {
  return drain(client.createReceiver(topic, subscription, takingOptions(subQueue)));
}

function takingOptions(subQueue: 'deadLetter' | undefined) {
  return { receiveMode: 'receiveAndDelete', ...(subQueue && { subQueueType: subQueue }) } as const;
}

async function drain(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage[]> {
  const taken: ServiceBusReceivedMessage[] = [];
  let received: ServiceBusReceivedMessage[];
  do {
    received = await receiver.receiveMessages(MESSAGES_PER_CALL, { maxWaitTimeInMs: NOTHING_COMES_MS });
    taken.push(...received);
  } while (received.length > 0);
  await receiver.close();
  return taken;
}

/** The one message a test expects; fails in words when there is none or more. */
export function only(messages: readonly ServiceBusReceivedMessage[]): ServiceBusReceivedMessage {
  const [message] = messages;
  if (message === undefined || messages.length > 1) {
    throw new Error(`expected one message, received ${messages.length}`);
  }
  return message;
}

/** The next message of a queue in which there must be one. */
export async function receiveOne(
  receiver: ServiceBusReceiver,
  withinMs = COMES_MS,
): Promise<ServiceBusReceivedMessage> {
  return only(await receiver.receiveMessages(1, { maxWaitTimeInMs: withinMs }));
}

/** As many as there are to come; the SDK may bring them in several goes. */
export async function receiveAll(
  receiver: ServiceBusReceiver,
  count: number,
): Promise<ServiceBusReceivedMessage[]> {
  const received: ServiceBusReceivedMessage[] = [];
  while (received.length < count) received.push(await receiveOne(receiver));
  return received;
}

export function numberOf({ sequenceNumber }: ServiceBusReceivedMessage): number {
  return Number(sequenceNumber);
}

export function bodyOf(message: ServiceBusReceivedMessage): unknown {
  return message.body;
}
