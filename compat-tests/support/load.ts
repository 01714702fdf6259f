// A noisy crowd on one queue, entered into a ledger: senders of single messages and batches, peek-lock receivers that complete,
// abandon or forget. It speaks plain AMQP and not the SDK: that is faster, and a dead broker is noticed at once.

import { createHash } from 'node:crypto';
import rhea, { type Connection, type Delivery, type EventContext, type Sender } from 'rhea';
import type { Delivered, Ledger } from './ledger.js';
import type { Random } from './seeded-random.js';

export type LoadOptions = {
  readonly host: string;
  readonly port: number;
  readonly queue: string;
  /** Its name may choose a namespace: `crowd@tests-1`. */
  readonly user?: string;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Begins the id of every message; no two loads of one ledger share it. */
  readonly name: string;
};

type Settling = { readonly id: string; readonly gesture: 'complete' | 'abandon' };

type OutgoingMessage = { readonly id: string; readonly checksum: string; readonly encoded: Buffer };

const SENDERS = ['a', 'b', 'c'];
const RECEIVER_COUNT = 3;
const BATCH_MESSAGE_FORMAT = 0x80013700;
const LARGEST_BATCH = 8;
const OPEN_SENDS = 20;
/** Above it the senders wait for the receivers. */
const BACKLOG_LIMIT = 300;
const PUMP_MS = 5;
const RECEIVER_CREDIT = 30;
/** The client settles only after the broker has answered (AMQP 2.7.3, rcv-settle-mode second). */
const PEEK_LOCK = { autoaccept: false, snd_settle_mode: 0, rcv_settle_mode: 1 } as const;

/** Runs until the broker is gone; resolves when every connection has noticed. */
export async function runLoad(options: LoadOptions): Promise<void> {
  await Promise.all([
    ...SENDERS.map((letter) => keepSending(options, `${options.name}${letter}`)),
    ...Array.from({ length: RECEIVER_COUNT }, () => keepReceiving(options)),
  ]);
}

/** Completes everything in the queue, until nothing has come for `quietMs`. */
export async function drainQueue(
  from: Pick<LoadOptions, 'host' | 'port' | 'queue' | 'user'> & { readonly quietMs: number },
): Promise<Delivered[]> {
  const connection = openConnection(from);
  connection.open_receiver({ source: from.queue, credit_window: 200, ...PEEK_LOCK });
  const drained: Delivered[] = [];
  await new Promise<void>((resolve, reject) => {
    const quiet = setTimeout(resolve, from.quietMs);
    connection.on('message', ({ message, delivery }: EventContext) => {
      drained.push(readMessage(message));
      delivery?.accept();
      quiet.refresh();
    });
    connection.on('disconnected', () =>
      reject(new Error('the broker went away while its queue was drained')),
    );
  });
  connection.removeAllListeners('disconnected');
  const closed = new Promise((resolve) => connection.once('connection_close', resolve));
  connection.close();
  await closed;
  return drained;
}

async function keepSending({ ledger, random, ...target }: LoadOptions, name: string): Promise<void> {
  const connection = openConnection(target);
  const sender = connection.open_sender({ target: target.queue });
  const unanswered = new Map<Delivery, readonly OutgoingMessage[]>();
  let sendCount = 0;
  const pump = () => {
    while (sender.sendable() && unanswered.size < OPEN_SENDS && ledger.backlogCount < BACKLOG_LIMIT) {
      const batch = `${name}${sendCount++}`;
      const messages = newMessages(batch, random);
      for (const { id, checksum } of messages) {
        ledger.sending({ id, checksum, batch });
      }
      unanswered.set(sendTogether(sender, messages), messages);
    }
  };
  connection.on('accepted', ({ delivery }: EventContext) => {
    for (const { id } of (delivery && unanswered.get(delivery)) ?? []) {
      ledger.accepted(id);
    }
    delivery && unanswered.delete(delivery);
    pump();
  });
  connection.on('rejected', () => void ledger.problems.push(`a send of ${name} was rejected`));
  const pumping = setInterval(pump, PUMP_MS);
  await disconnected(connection);
  clearInterval(pumping);
}

async function keepReceiving({ ledger, random, ...target }: LoadOptions): Promise<void> {
  const connection = openConnection(target);
  connection.open_receiver({ source: target.queue, credit_window: RECEIVER_CREDIT, ...PEEK_LOCK });
  const settling = new Map<Delivery, Settling>();
  connection.on('message', ({ message, delivery }: EventContext) => {
    const received = readMessage(message);
    ledger.delivered(received, Date.now());
    const gesture = delivery && settleSomehow(delivery, received.id, { ledger, random });
    if (delivery !== undefined && gesture !== undefined) {
      settling.set(delivery, { id: received.id, gesture });
    }
  });
  connection.on('settled', ({ delivery }: EventContext) => {
    const settled = delivery && settling.get(delivery);
    if (settled === undefined) {
      return;
    }
    if (delivery?.remote_state?.error !== undefined) {
      ledger.refused(settled.id, Date.now());
    } else if (settled.gesture === 'complete') {
      ledger.completed(settled.id);
    }
  });
  await disconnected(connection);
}

/** Of twenty messages one is abandoned and two are forgotten; the others are completed. */
function settleSomehow(
  delivery: Delivery,
  id: string,
  { ledger, random }: { readonly ledger: Ledger; readonly random: Random },
): Settling['gesture'] | undefined {
  const dice = random.integer(1, 20);
  if (dice <= 17) {
    ledger.completing(id);
    delivery.accept();
    return 'complete';
  }
  if (dice === 18) {
    ledger.abandoning(id);
    // In a turn of its own: rhea 3.0.5 writes an abandonment and the acceptances right after it as one range.
    setImmediate(() => delivery.modified({ undeliverable_here: false }));
    return 'abandon';
  }
  return undefined;
}

function newMessages(batch: string, random: Random): OutgoingMessage[] {
  const count = random.chance(0.3) ? random.integer(2, LARGEST_BATCH) : 1;
  return Array.from({ length: count }, (_, index) => {
    const id = `${batch}.${index}`;
    const size = random.chance(0.05) ? random.integer(1000, 20_000) : random.integer(0, 500);
    const body = Buffer.alloc(size, id);
    const encoded = rhea.message.encode({ message_id: id, body: rhea.message.data_section(body) });
    return { id, checksum: checksumOf(body), encoded };
  });
}

function sendTogether(sender: Sender, messages: readonly OutgoingMessage[]): Delivery {
  const [first, ...others] = messages;
  if (first === undefined || others.length > 0) {
    const inner = rhea.message.data_sections(messages.map(({ encoded }) => encoded));
    return sender.send(rhea.message.encode({ body: inner }), undefined, BATCH_MESSAGE_FORMAT);
  }
  return sender.send(first.encoded, undefined, 0);
}

function readMessage(message: EventContext['message']): Delivered {
  return {
    id: String(message?.message_id),
    checksum: checksumOf(message?.body.content),
    sequenceNumber: Number(message?.message_annotations?.['x-opt-sequence-number']),
  };
}

function checksumOf(body: Buffer): string {
  return createHash('md5').update(body).digest('base64');
}

function openConnection({
  host,
  port,
  user = 'crowd',
}: Pick<LoadOptions, 'host' | 'port' | 'user'>): Connection {
  // A container of its own: handlers of one connection never hear of another.
  const options = { host, port, username: user, password: 'any', reconnect: false };
  const connection = rhea.create_container().connect(options);
  // A broker that fails says so before it is gone.
  connection.on('connection_error', () => {});
  return connection;
}

function disconnected(connection: Connection): Promise<void> {
  return new Promise((resolve) => {
    connection.once('disconnected', () => resolve());
    connection.once('connection_close', () => resolve());
  });
}
