// One message in or out in plain AMQP 1.0, without any Service Bus SDK: what an SDK never sends, and what it does not show.

import rhea, { type Connection, type EventContext, type Message } from 'rhea';

export type Address = { readonly host: string; readonly port: number };

export async function sendPlain(address: Address, queue: string, message: Message): Promise<void> {
  await withConnection(address, async (connection) => {
    const sender = connection.open_sender({ target: queue });
    await next(sender, 'sendable');
    sender.send(message);
    await next(sender, 'accepted');
  });
}

/** Takes the next message under a lock and completes it. */
export async function receivePlain(address: Address, queue: string): Promise<Message> {
  return await withConnection(address, async (connection) => {
    const receiver = connection.open_receiver({
      source: queue,
      autoaccept: false,
      credit_window: 0,
      snd_settle_mode: 0,
      rcv_settle_mode: 1,
    });
    receiver.add_credit(1);
    const { message, delivery } = await next(receiver, 'message');
    const settled = next(receiver, 'settled');
    delivery?.accept();
    await settled;
    if (message === undefined) throw new Error('a message event has a message');
    return message;
  });
}

/** As it would arrive with nothing in between. */
export function asReceived(message: Message): Message {
  return { ...rhea.message.decode(rhea.message.encode(message)), body: message.body };
}

async function withConnection<Value>(
  { host, port }: Address,
  use: (connection: Connection) => Promise<Value>,
): Promise<Value> {
  const connection = rhea.create_container().connect({ host, port, username: 'plain', reconnect: false });
  const refused = new Promise<never>((_, reject) => {
    for (const event of ['connection_error', 'sender_error', 'receiver_error', 'rejected', 'disconnected']) {
      connection.on(event, () => reject(new Error(`the broker answers with ${event}`)));
    }
  });
  try {
    return await Promise.race([use(connection), refused]);
  } finally {
    connection.removeAllListeners('disconnected');
    connection.close();
  }
}

function next(emitter: NodeJS.EventEmitter, event: string): Promise<EventContext> {
  return new Promise((resolve) => emitter.once(event, resolve));
}
