// The traffic of a small shop, with what goes wrong in one: messages in every state, on queues, sessions and a topic with rules.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceBusClient, ServiceBusMessage, ServiceBusReceivedMessage } from '@azure/service-bus';
import { callControl } from '../../compat-tests/support/control.js';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { connect } from '../../compat-tests/support/service-bus.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';

const CONFIG = {
  UserConfig: {
    Namespaces: [
      {
        Name: 'shop',
        Queues: [
          queue('orders', {
            MaxDeliveryCount: 3,
            LockDuration: 'PT30S',
            DeadLetteringOnMessageExpiration: true,
          }),
          ...[queue('payments'), queue('emails'), queue('invoices', { RequiresSession: true })],
        ],
        Topics: [
          {
            Name: 'events',
            Subscriptions: [
              { Name: 'audit' },
              subscription('mail', 'emails', {
                'order-placed': "sys.Label = 'order.placed'",
                'order-shipped': "sys.Label = 'order.shipped'",
              }),
              subscription('eu', 'invoices', { 'eu-orders': "region = 'EU' AND total > 10" }),
            ],
          },
        ],
      },
    ],
  },
};
const SUBJECTS = ['order.changed', 'order.placed', 'order.shipped'];
const MS_BETWEEN_ORDERS = 180;

function queue(Name: string, Properties: object = {}) {
  return { Name, Properties };
}

function subscription(Name: string, ForwardTo: string, rules: Readonly<Record<string, string>>) {
  const Rules = Object.entries(rules).map(([name, SqlExpression]) => ({
    Name: name,
    Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression } },
  }));
  return { Name, Properties: { ForwardTo }, Rules };
}

/** A shop under way. */
export class Shop implements AsyncDisposable {
  readonly jitney: Jitney;
  readonly #clients: ServiceBusClient[] = [];
  #traffic: ReturnType<typeof setInterval> | undefined;
  #number = 10_400;

  private constructor(jitney: Jitney) {
    this.jitney = jitney;
  }

  static async open(): Promise<Shop> {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'Config.json');
    await writeFile(file, JSON.stringify(CONFIG));
    const extraArguments = ['--config', file, '--label', 'shop'];
    const shop = new Shop(await Jitney.start({ extraArguments }));
    await shop.#fill();
    shop.#start();
    return shop;
  }

  /** Each program of the shop has its name before that of the SDK. */
  #client(name: string): ServiceBusClient {
    const client = connect(this.jitney.connectionString, { userAgentOptions: { userAgentPrefix: name } });
    this.#clients.push(client);
    return client;
  }

  async #fill(): Promise<void> {
    const sender = this.#client('web-shop').createSender('orders');
    for (let batch = 0; batch < 12; batch++) await sender.sendMessages(this.#orders(20));
    await sender.scheduleMessages(this.#orders(2), new Date(Date.now() + 3_600_000));
    await sender.sendMessages({ ...this.#order(), timeToLive: 50 });
    const receiver = this.#client('fulfilment').createReceiver('orders');
    const next = (count: number) => receiver.receiveMessages(count, { maxWaitTimeInMs: 2000 });
    const all = (
      messages: ServiceBusReceivedMessage[],
      act: (one: ServiceBusReceivedMessage) => Promise<void>,
    ) => Promise.all(messages.map(act));
    for (let round = 0; round < 3; round++) {
      await all(await next(2), (one) => receiver.abandonMessage(one, { failure: 'sku not found' }));
    }
    const reason = { deadLetterReason: 'address-unknown', deadLetterErrorDescription: 'no such street' };
    await all(await next(3), (one) => receiver.deadLetterMessage(one, reason));
    await all(await next(2), (one) => receiver.deferMessage(one));
    await all(await next(40), (one) => receiver.completeMessage(one));
    await next(4); // stay locked
    await this.#askForAMistypedQueue();
  }

  async #askForAMistypedQueue(): Promise<void> {
    const receiver = this.#client('reports').createReceiver('order');
    await receiver.receiveMessages(1, { maxWaitTimeInMs: 200 }).catch(() => undefined);
  }

  #start(): void {
    const web = this.#client('web-shop');
    const [payments, events] = [web.createSender('payments'), web.createSender('events')];
    this.#consume(this.#client('billing'), 'payments');
    this.#consume(this.#client('mailer'), 'emails');
    this.#traffic = setInterval(() => {
      const order = this.#order();
      const sending = [payments.sendMessages(order)];
      if (this.#number % 2 === 0)
        sending.push(events.sendMessages({ ...order, sessionId: `customer-${this.#number % 7}` }));
      // A send that the end of the shop cuts off is no fault.
      for (const each of sending) each.catch(() => undefined);
    }, MS_BETWEEN_ORDERS);
  }

  #consume(client: ServiceBusClient, from: string): void {
    const receiver = client.createReceiver(from);
    receiver.subscribe({ processMessage: async () => undefined, processError: async () => undefined });
  }

  #orders(count: number): ServiceBusMessage[] {
    return Array.from({ length: count }, () => this.#order());
  }

  #order(): ServiceBusMessage {
    const number = this.#number++;
    const total = 18.9 + (number % 100);
    return {
      messageId: `ord-${number}`,
      correlationId: `cart-${number}`,
      subject: SUBJECTS[number % SUBJECTS.length] ?? '',
      contentType: 'application/json',
      body: {
        orderId: `ord-${number}`,
        customer: { id: `C-${1000 + (number % 50)}`, name: 'Anna Lindqvist', email: 'anna@example.org' },
        lines: [
          { sku: 'TEA-EARL-250', quantity: 2 },
          { sku: 'POT-CAST-1L', quantity: 1 },
        ],
        total,
        currency: 'EUR',
        gift: false,
      },
      applicationProperties: { region: number % 2 === 0 ? 'US' : 'EU', total, itemCount: 3, vip: false },
    };
  }

  /** The number of the first message that is dead because of too many deliveries. */
  async poisonNumber(): Promise<number> {
    type Answer = { readonly messages: readonly { sequenceNumber: number; deadLetterReason?: string }[] };
    const path = encodeURIComponent('orders/$DeadLetterQueue');
    const { messages } = await callControl<Answer>(this.jitney, `messages?entity=${path}`);
    const found = messages.find(({ deadLetterReason }) => deadLetterReason === 'MaxDeliveryCountExceeded');
    if (found === undefined) throw new Error('No message was delivered too often.');
    return found.sequenceNumber;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#traffic);
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.jitney.stop();
  }
}
