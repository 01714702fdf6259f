// The program that uses the official SDK.

import {
  ServiceBusClient,
  type ServiceBusMessage,
  type ServiceBusReceiver,
  type ServiceBusSender,
} from '@azure/service-bus';
import { GROUP, type SDK_SCENARIOS, type Task } from '../scenarios.js';
import { answerTasks } from './answer-tasks.js';

/** The SDK's objects on the queue of one broker; opened once and used by every scenario. */
type QueueClient = {
  readonly sender: ServiceBusSender;
  readonly peekLock: ServiceBusReceiver;
  readonly receiveAndDelete: ServiceBusReceiver;
};

type Action = (typeof SDK_SCENARIOS)[number]['action'];

const ACTIONS: Readonly<Record<Action, (client: QueueClient, task: Task) => Promise<void>>> = {
  awaited: sendOneByOne,
  parallel: sendInParallel,
  arrays: sendArrays,
  complete: receiveAndComplete,
  delete: receiveAndDelete,
};
/** A receiver that waits this long has lost a message. */
const WAIT = { maxWaitTimeInMs: 10_000 };

const clients = new Map<number, QueueClient>();
let sentCount = 0;

answerTasks(async (task) => {
  const client = clients.get(task.port) ?? openClient(task);
  clients.set(task.port, client);
  return () => ACTIONS[task.action as Action](client, task);
});

function openClient({ port, address }: Task): QueueClient {
  const client = new ServiceBusClient(
    `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true`,
  );
  return {
    sender: client.createSender(address),
    peekLock: client.createReceiver(address, { receiveMode: 'peekLock' }),
    receiveAndDelete: client.createReceiver(address, { receiveMode: 'receiveAndDelete' }),
  };
}

/** With an id, as the SDK cannot complete a message without one and the null broker invents none. */
function nextMessage({ bodyBytes }: Task): ServiceBusMessage {
  sentCount += 1;
  return { body: Buffer.alloc(bodyBytes, 'x'), messageId: `message-${sentCount}` };
}

async function sendOneByOne({ sender }: QueueClient, task: Task): Promise<void> {
  for (let count = 0; count < task.messageCount; count++) await sender.sendMessages(nextMessage(task));
}

async function sendInParallel({ sender }: QueueClient, task: Task): Promise<void> {
  for (let count = 0; count < task.messageCount; count += GROUP) {
    await Promise.all(Array.from({ length: GROUP }, () => sender.sendMessages(nextMessage(task))));
  }
}

async function sendArrays({ sender }: QueueClient, task: Task): Promise<void> {
  for (let count = 0; count < task.messageCount; count += GROUP) {
    await sender.sendMessages(Array.from({ length: GROUP }, () => nextMessage(task)));
  }
}

async function receiveAndComplete({ peekLock }: QueueClient, { messageCount }: Task): Promise<void> {
  for (let count = 0; count < messageCount; ) {
    const messages = await receiveGroup(peekLock);
    await Promise.all(messages.map((each) => peekLock.completeMessage(each)));
    count += messages.length;
  }
}

async function receiveAndDelete({ receiveAndDelete }: QueueClient, { messageCount }: Task): Promise<void> {
  for (let count = 0; count < messageCount; ) count += (await receiveGroup(receiveAndDelete)).length;
}

async function receiveGroup(receiver: ServiceBusReceiver) {
  const messages = await receiver.receiveMessages(GROUP, WAIT);
  if (messages.length === 0) throw new Error('messages that were sent did not come back');
  return messages;
}
