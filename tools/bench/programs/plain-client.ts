// The program that speaks plain AMQP 1.0 with each broker in the same way.

import rhea, { type Connection, type EventContext, type Sender } from 'rhea';
import { nextEvent, openConnection } from '../connection.js';
import { GROUP, type Task } from '../scenarios.js';
import { answerTasks } from './answer-tasks.js';

type Client = {
  readonly sender: Sender;
  readonly receiving: Connection;
  /** Rejects when the broker refuses a message or ends a link or a connection. */
  readonly lost: Promise<never>;
};

/** The receiver's answer settles a delivery, and no confirmation is waited for. */
const UNCONFIRMED = { autoaccept: false, snd_settle_mode: 0, rcv_settle_mode: 0 } as const;
const LIMIT_MS = 60_000;

const clients = new Map<number, Client>();

answerTasks(async (task) => {
  const client = clients.get(task.port) ?? (await openClient(task));
  clients.set(task.port, client);
  const payload = encode(task);
  return () => withinLimit(client.lost, run(task, client, payload));
});

/** One connection to send and one to receive, as two programs would have. */
async function openClient(task: Task): Promise<Client> {
  let onLost = (_: Error) => {};
  const lost = new Promise<never>((_, reject) => {
    onLost = reject;
  });
  const sending = openConnection(task.port, onLost);
  const receiving = openConnection(task.port, onLost);
  sending.on('released', () => onLost(new Error('the broker released a message instead of accepting it')));
  const sender = sending.open_sender({ target: task.address });
  await withinLimit(lost, nextEvent(sender, 'sendable'));
  return { sender, receiving, lost };
}

/** Once for a measurement, so that the client's share of the time is small. */
function encode({ bodyBytes, isDurable }: Task): Buffer {
  const body = rhea.message.data_section(Buffer.alloc(bodyBytes, 'x'));
  return rhea.message.encode({ durable: isDurable, body });
}

async function run(task: Task, { sender, receiving }: Client, payload: Buffer): Promise<void> {
  const { action, messageCount } = task;
  const window = action === 'awaited' ? 1 : GROUP;
  await Promise.all([
    action !== 'receive' && send(sender, payload, { messageCount, window }),
    (action === 'receive' || action === 'both') && receive(receiving, task),
  ]);
}

/** Ends when the last one is accepted; `window` are unanswered at most. */
async function send(
  sender: Sender,
  payload: Buffer,
  { messageCount, window }: { readonly messageCount: number; readonly window: number },
): Promise<void> {
  let sentCount = 0;
  let acceptedCount = 0;
  await new Promise<void>((resolve) => {
    const pump = () => {
      const goal = Math.min(messageCount, acceptedCount + window);
      for (; sentCount < goal && sender.sendable(); sentCount++) sender.send(payload, undefined, 0);
    };
    sender.on('sendable', pump);
    sender.on('accepted', () => {
      acceptedCount += 1;
      if (acceptedCount === messageCount) resolve();
      else pump();
    });
    pump();
  });
  sender.removeAllListeners('sendable');
  sender.removeAllListeners('accepted');
}

/** Ends when the broker has answered the end of the link: by then it has read the last settlement. */
async function receive(connection: Connection, { address, messageCount, bodyBytes }: Task): Promise<void> {
  const receiver = connection.open_receiver({ source: address, ...UNCONFIRMED, credit_window: GROUP });
  const closed = nextEvent(receiver, 'receiver_close');
  let receivedCount = 0;
  await new Promise<void>((resolve, reject) => {
    receiver.on('message', ({ message, delivery }: EventContext) => {
      const body: Buffer | undefined = message?.body.content;
      if (body?.length !== bodyBytes) reject(new Error(`${bodyBytes} bytes were sent, ${body?.length} came`));
      delivery?.accept();
      receivedCount += 1;
      if (receivedCount === messageCount) resolve();
    });
  });
  receiver.close();
  await closed;
}

async function withinLimit<Value>(lost: Promise<never>, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  try {
    return await Promise.race([work, lost, late]);
  } finally {
    clearTimeout(timer);
  }
}
