// A client of `$management` on two links of an AMQP session: writes requests as they are given, and takes the answers apart.

import type { FrameChannel, ReceivedDelivery } from '../../support/frame-channel.js';
import type { Decoded } from '../../support/frame-decoder.js';
import { array, type Encoded, map, str, TRUE, uint, ulong, uuid } from '../../support/frame-encoder.js';
import { LARGE_WINDOW, senderFields } from '../../support/frame-fields.js';
import { giveCredit, lockToken, writeMessage } from '../../support/frame-links.js';
import { composite } from '../../support/frame-lists.js';
import {
  applicationProperties,
  entryOf,
  propertiesSection,
  ReceivedMessage,
  section,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';

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
  #requestCount = 0;

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
    const target = composite('target', { address });
    session.send('attach', senderFields(handle, { name: str(`requests ${handle}`), target }));
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
  give(credit: number, { window = LARGE_WINDOW } = {}): void {
    giveCredit(this.session, this.#handle + 1, credit, { incomingWindow: window });
  }

  async ask(operation: string, body: Body | Encoded, properties: Body = {}): Promise<Reply> {
    this.write(operation, body, properties);
    return this.takeReply();
  }

  /** Asks about the lock of a delivery; the status and, of a failure, its condition: `410 com.microsoft:message-lock-lost`. */
  async askAbout({ tag }: ReceivedDelivery, operation: string, fields: Body = {}): Promise<string> {
    const { status, condition } = await this.ask(operation, {
      'lock-tokens': array([uuid(lockToken(tag))]),
      ...fields,
    });
    return `${status} ${condition}`.replace('int ', '').replace(" '", ' ').replace(' absent', '');
  }

  completeByToken(delivery: ReceivedDelivery): Promise<string> {
    return this.askAbout(delivery, 'update-disposition', { 'disposition-status': str('completed') });
  }

  /** A request, in several frames if need be; its answer is another step. */
  write(operation: string, body: Body | Encoded, properties: Body = {}): void {
    this.transfer(this.message(operation, body, properties));
  }

  /** The next request as a message. */
  message(operation: string, body: Body | Encoded, properties: Body = {}): Buffer {
    const messageId = str(`request ${this.#requestCount++}`);
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
    return writeMessage(this.session, this.#handle, message, { settled: isSettled, state });
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
