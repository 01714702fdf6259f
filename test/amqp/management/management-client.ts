// A client of `$management`, frame by frame: writes requests as they are given, and takes the answers apart.

import type { FrameChannel } from '../../support/frame-channel.js';
import type { Decoded } from '../../support/frame-decoder.js';
import { boolean, type Encoded, FALSE, map, str, TRUE, uint, ulong } from '../../support/frame-encoder.js';
import { composite } from '../../support/frame-lists.js';
import {
  applicationProperties,
  entryOf,
  propertiesSection,
  ReceivedMessage,
  section,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';

const WINDOW = uint(2_147_483_647);
const PIECE_BYTES = 60_000;

export type Reply = {
  /** As they are on the wire: `int 200`, `'com.microsoft:message-not-found` or `absent`. */
  readonly status: string;
  readonly condition: string;
  readonly description: string;
  readonly correlationId: string;
  readonly body: Decoded | undefined;
};

/** Undefined fields are left out. */
export type Body = Readonly<Record<string, Encoded | undefined>>;

export class ManagementClient {
  readonly session: FrameChannel;
  readonly #handle: number;
  readonly #replyTo: string;
  #askedCount = 0;

  private constructor(session: FrameChannel, handle: number, replyTo: string) {
    this.session = session;
    this.#handle = handle;
    this.#replyTo = replyTo;
  }

  /** Takes `handle` and the one behind it. */
  static async open(
    session: FrameChannel,
    path: string,
    { handle = 0, credit = 1000, maxMessageSize = 0 } = {},
  ): Promise<ManagementClient> {
    const address = str(`${path}/$management`);
    const replyTo = `replies to ${handle}`;
    session.send('attach', {
      name: str(`requests ${handle}`),
      handle: uint(handle),
      role: FALSE,
      source: composite('source'),
      target: composite('target', { address }),
      initialDeliveryCount: uint(0),
    });
    await session.take('attach');
    session.send('attach', {
      name: str(replyTo),
      handle: uint(handle + 1),
      role: TRUE,
      source: composite('source', { address }),
      target: composite('target', { address: str(replyTo) }),
      maxMessageSize: ulong(maxMessageSize),
    });
    await session.take('attach');
    const client = new ManagementClient(session, handle, replyTo);
    client.give(credit);
    return client;
  }

  /** Credit for answers, from the first on. */
  give(credit: number, { window = 2_147_483_647 } = {}): void {
    this.session.send('flow', {
      nextIncomingId: uint(this.session.nextIncomingId),
      incomingWindow: uint(window),
      nextOutgoingId: uint(this.session.sentTransferCount),
      outgoingWindow: WINDOW,
      handle: uint(this.#handle + 1),
      deliveryCount: uint(0),
      linkCredit: uint(credit),
    });
  }

  async ask(operation: string, body: Body | Encoded, properties: Body = {}): Promise<Reply> {
    this.write(operation, body, properties);
    return this.takeReply();
  }

  /** A request, in several frames if need be; its answer is another step. */
  write(operation: string, body: Body | Encoded, properties: Body = {}): void {
    this.transfer(this.message(operation, body, properties));
  }

  /** The next request as a message. */
  message(operation: string, body: Body | Encoded, properties: Body = {}): Buffer {
    const messageId = str(`request ${this.#askedCount++}`);
    return Buffer.concat([
      propertiesSection({ messageId, replyTo: str(this.#replyTo) }),
      applicationProperties(given({ operation: str(`com.microsoft:${operation}`), ...properties })),
      section('value', Buffer.isBuffer(body) ? body : bodyOf(body)),
    ]);
  }

  /** A whole message to the node, whatever it is; gives back its delivery-id. */
  transfer(
    message: Buffer,
    { isSettled = true, state }: { isSettled?: boolean; state?: Encoded } = {},
  ): number {
    const deliveryId = this.session.sentTransferCount;
    for (let start = 0; start === 0 || start < message.length; start += PIECE_BYTES) {
      this.session.send(
        'transfer',
        {
          handle: uint(this.#handle),
          deliveryId: uint(deliveryId),
          deliveryTag: Buffer.concat([Buffer.of(0xa0, 4), uint32(deliveryId)]),
          messageFormat: uint(0),
          settled: boolean(isSettled),
          more: start + PIECE_BYTES < message.length ? TRUE : FALSE,
          ...(state === undefined ? {} : { state }),
        },
        { payload: message.subarray(start, start + PIECE_BYTES) },
      );
    }
    return deliveryId;
  }

  async takeReply(): Promise<Reply> {
    const { payload } = await this.session.takeDelivery();
    const message = new ReceivedMessage(payload);
    const property = (name: string) => message.entry('applicationProperties', name);
    return {
      status: notation(property('statusCode')),
      condition: notation(property('errorCondition')),
      description: String(property('statusDescription')?.value),
      correlationId: notation(message.property('correlationId')),
      body: message.section('value')?.value,
    };
  }
}

/** The body of a request: a map with string keys. */
export function bodyOf(fields: Body): Encoded {
  return map(Object.entries(given(fields)).map(([name, value]) => [str(name), value]));
}

export type ListedMessage = {
  readonly message: ReceivedMessage;
  /** In the order of RFC 4122. */
  readonly lockToken: Buffer | undefined;
};

/** What a reply brings: `messages` must be a list of maps, each with a binary and perhaps a uuid (Go takes nothing else). */
export function messagesIn({ body }: Pick<Reply, 'body'>): readonly ListedMessage[] {
  const messages = entryOf(body, 'messages');
  if (messages?.type !== 'list') throw new Error(`a list of messages is expected, not ${notation(messages)}`);
  return messages.value.map((item) => {
    const message = entryOf(item, 'message');
    const lockToken = entryOf(item, 'lock-token');
    if (message?.type !== 'binary') throw new Error(`a binary is expected, not ${notation(message)}`);
    if (lockToken !== undefined && lockToken.type !== 'uuid') {
      throw new Error(`a uuid is expected, not ${notation(lockToken)}`);
    }
    return { message: new ReceivedMessage(message.value), lockToken: lockToken?.value };
  });
}

function given(fields: Body): Record<string, Encoded> {
  const entries = Object.entries(fields).filter(
    (entry): entry is [string, Encoded] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
