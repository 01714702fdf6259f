// What is measured: five ways in which programs use a queue, each through the official SDK.

import type { ServiceBusMessage, ServiceBusReceiver, ServiceBusSender } from '@azure/service-bus';

/** The SDK's objects on the queue of one broker; opened once and used by every scenario. */
export type QueueClient = {
  readonly sender: ServiceBusSender;
  readonly peekLock: ServiceBusReceiver;
  readonly receiveAndDelete: ServiceBusReceiver;
};

export type ScenarioName = 'awaited' | 'parallel' | 'arrays' | 'complete' | 'delete';

export type Scenario = {
  readonly title: string;
  /** Messages in one measurement; a multiple of 100. */
  readonly messageCount: number;
  readonly run: (client: QueueClient, messageCount: number) => Promise<void>;
};

export const QUEUE = 'bench';
export const BODY_BYTES = 1024;
const GROUP = 100;
/** A receiver that waits this long has lost a message. */
const WAIT = { maxWaitTimeInMs: 10_000 };

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  awaited: { title: 'awaited sends', messageCount: 2000, run: sendOneByOne },
  parallel: { title: '100 parallel sends', messageCount: 6000, run: sendInParallel },
  arrays: { title: 'arrays of 100', messageCount: 10_000, run: sendArrays },
  complete: { title: 'receive 100 + complete all', messageCount: 6000, run: receiveAndComplete },
  delete: { title: 'receive-and-delete', messageCount: 12_000, run: receiveAndDelete },
};

/** In this order the queue is empty again after the second and after the last. */
export const RUN_ORDER: readonly ScenarioName[] = ['parallel', 'complete', 'awaited', 'arrays', 'delete'];

const body = Buffer.alloc(BODY_BYTES, 'x');
let sentCount = 0;

/** With an id, as the SDK cannot complete a message without one and the null broker invents none. */
function nextMessage(): ServiceBusMessage {
  sentCount += 1;
  return { body, messageId: `message-${sentCount}` };
}

async function sendOneByOne({ sender }: QueueClient, messageCount: number): Promise<void> {
  for (let count = 0; count < messageCount; count++) await sender.sendMessages(nextMessage());
}

async function sendInParallel({ sender }: QueueClient, messageCount: number): Promise<void> {
  for (let count = 0; count < messageCount; count += GROUP) {
    await Promise.all(Array.from({ length: GROUP }, () => sender.sendMessages(nextMessage())));
  }
}

async function sendArrays({ sender }: QueueClient, messageCount: number): Promise<void> {
  for (let count = 0; count < messageCount; count += GROUP) {
    await sender.sendMessages(Array.from({ length: GROUP }, nextMessage));
  }
}

async function receiveAndComplete({ peekLock }: QueueClient, messageCount: number): Promise<void> {
  for (let count = 0; count < messageCount; ) {
    const messages = await receiveGroup(peekLock);
    await Promise.all(messages.map((each) => peekLock.completeMessage(each)));
    count += messages.length;
  }
}

async function receiveAndDelete({ receiveAndDelete }: QueueClient, messageCount: number): Promise<void> {
  for (let count = 0; count < messageCount; ) count += (await receiveGroup(receiveAndDelete)).length;
}

async function receiveGroup(receiver: ServiceBusReceiver) {
  const messages = await receiver.receiveMessages(GROUP, WAIT);
  if (messages.length === 0) throw new Error('messages that were sent did not come back');
  return messages;
}
