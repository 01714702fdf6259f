// One SDK's connection, step by step: writes what its dialect says, and gives back what the server answered.

import { expect } from 'vitest';
import {
  type Frame,
  type FrameChannel,
  numberOf,
  type ReceivedDelivery,
} from '../../support/frame-channel.js';
import type { FrameClient } from '../../support/frame-client.js';
import { type Encoded, str, sym } from '../../support/frame-encoder.js';
import { takeDisposition } from '../../support/frame-links.js';
import type { Fields } from '../../support/frame-lists.js';
import {
  applicationProperties,
  propertiesSection,
  ReceivedMessage,
  section,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import type { Dialect, RequestPair } from './dialect.js';
import { expectAttachForm, expectBeginForm, expectOpenForm } from './forms.js';

/** An attached link as both sides number it. */
export type OpenLink = {
  readonly channel: FrameChannel;
  readonly handle: number;
  readonly serverHandle: number;
  /** The server's attach. */
  readonly attach: Frame;
};

export type Requests = {
  readonly pair: RequestPair;
  readonly sender: OpenLink;
  readonly receiver: OpenLink;
};

export class Conversation {
  readonly client: FrameClient;
  readonly dialect: Dialect;
  #channelCount = 0;
  #requestCount = 0;
  #sentCount = 0;

  constructor(client: FrameClient, dialect: Dialect) {
    this.client = client;
    this.dialect = dialect;
  }

  /** Protocol headers, SASL and open. */
  async connect(): Promise<void> {
    const { client, dialect } = this;
    client.writeHeader('sasl');
    await client.expectHeader('sasl');
    const mechanisms = await client.expect('sasl-mechanisms');
    expect(notation(mechanisms.field('mechanisms'))).toMatch(new RegExp(`'${dialect.mechanism}[,\\]]`));
    client.send('sasl-init', { mechanism: sym(dialect.mechanism), ...dialect.saslInit }, dialect.shape);
    expect(notation((await client.expect('sasl-outcome')).field('code'))).toBe('ubyte 0');
    client.writeHeader('amqp');
    client.send('open', dialect.open, dialect.shape);
    await client.expectHeader('amqp');
    expectOpenForm(await client.expect('open'));
  }

  /** A session on a new channel, as SDKs open one for each link. */
  async begin(): Promise<FrameChannel> {
    const channel = this.client.channel(this.#channelCount);
    this.#channelCount += 1;
    channel.send('begin', this.dialect.begin, this.dialect.shape);
    const begin = await channel.expect('begin');
    expectBeginForm(begin, channel.number);
    return channel;
  }

  async attach(channel: FrameChannel, fields: Fields<'attach'>, handle = 0): Promise<OpenLink> {
    channel.send('attach', fields, this.dialect.shape);
    const attach = await channel.expect('attach');
    expectAttachForm(attach, fields);
    return { channel, handle, serverHandle: numberOf(attach, 'handle') ?? -1, attach };
  }

  /** A link on which messages can be sent: attached and given credit. */
  async openSender(path: string): Promise<OpenLink> {
    const link = await this.attach(await this.begin(), this.dialect.sender(path));
    await takeCredit(link);
    return link;
  }

  async openReceiver(path: string): Promise<OpenLink> {
    return this.attach(await this.begin(), this.dialect.receiver(path));
  }

  /** Sends and gives back the outcome. */
  async send(link: OpenLink, message: Buffer): Promise<Frame> {
    const deliveryId = this.transfer(link, message);
    return takeDisposition(link.channel, deliveryId);
  }

  transfer(link: OpenLink, payload: Buffer, shape = this.dialect.transfer): number {
    const { channel, handle } = link;
    const deliveryId = this.dialect.firstOutgoingId + channel.sentTransferCount;
    const tag = this.dialect.tag(this.#sentCount);
    this.#sentCount += 1;
    channel.send('transfer', shape({ handle, deliveryId, tag }), { ...this.dialect.shape, payload });
    return deliveryId;
  }

  flow(
    link: Pick<OpenLink, 'channel' | 'handle'>,
    linkCredit: number,
    { deliveryCount = 0, drain = false } = {},
  ): void {
    const { channel, handle } = link;
    const numbers = {
      nextIncomingId: channel.nextIncomingId,
      nextOutgoingId: this.dialect.firstOutgoingId + channel.sentTransferCount,
      handle,
      deliveryCount,
      linkCredit,
      drain,
    };
    channel.send('flow', this.dialect.flow(numbers), this.dialect.shape);
  }

  /** Settles a delivery and gives back the server's word on it. */
  async settle(link: OpenLink, delivery: ReceivedDelivery, state: Encoded): Promise<Frame> {
    this.dispose(link, delivery, state);
    return takeDisposition(link.channel, delivery.deliveryId);
  }

  dispose(link: OpenLink, delivery: ReceivedDelivery, state: Encoded): void {
    link.channel.send(
      'disposition',
      this.dialect.disposition(delivery.deliveryId, state),
      this.dialect.shape,
    );
  }

  /** Opens the two links of a request node. */
  async openRequests(pair: RequestPair): Promise<Requests> {
    const channel = await this.begin();
    const sender = await this.attach(channel, pair.request, 0);
    await takeCredit(sender);
    const receiver = await this.attach(channel, pair.response, 1);
    this.flow(receiver, pair.credit);
    return { pair, sender, receiver };
  }

  /** Sends a request; its answer is another step, because answers may overtake each other. */
  request(
    requests: Requests,
    operation: Encoded,
    body: Encoded,
    properties: Record<string, Encoded>,
  ): Encoded {
    const kinds = this.#requestKinds();
    const messageId = kinds.messageId(this.#requestCount);
    this.#requestCount += 1;
    const message = Buffer.concat([
      propertiesSection({ messageId, replyTo: str(requests.pair.replyTo) }),
      applicationProperties({ operation, ...properties }),
      section('value', body),
    ]);
    this.transfer(requests.sender, message, kinds.transfer);
    return messageId;
  }

  async takeReply(requests: Requests): Promise<ReceivedMessage> {
    const { channel, serverHandle } = requests.receiver;
    const delivery = await channel.takeDelivery();
    expect(numberOf(delivery.transfer, 'handle')).toBe(serverHandle);
    return new ReceivedMessage(delivery.payload);
  }

  #requestKinds(): NonNullable<Dialect['requests']> {
    if (this.dialect.requests === undefined) throw new Error('this dialect sends no requests');
    return this.dialect.requests;
  }
}

/** The flow with which the server lets a sender link send. */
async function takeCredit({ channel, serverHandle }: OpenLink): Promise<void> {
  const flow = await channel.take('flow', (each) => numberOf(each, 'handle') === serverHandle);
  expect(numberOf(flow, 'linkCredit')).toBeGreaterThan(0);
}

/** The delivery-ids of the next answers, ranges taken apart. */
export async function takeDispositions({ channel }: OpenLink, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const frame = await channel.take('disposition');
    const first = numberOf(frame, 'first') ?? 0;
    for (let id = first; id <= (numberOf(frame, 'last') ?? first); id += 1) ids.push(id);
  }
  return ids;
}
