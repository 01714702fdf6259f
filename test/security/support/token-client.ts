// What a client does on one connection that has to show tokens: puts them, opens links, asks `$management`.

import rhea, { type Connection, type EventContext, type Message, type Receiver, type Sender } from 'rhea';
import { next } from '../../support/rhea-client.js';
import { HOST } from './secured-emulator.js';

export type Outcome = { readonly word: string; readonly text: string };
export type OpenLink = Outcome & { readonly link: Sender | Receiver };
export type TokenAnswer = {
  readonly status: number;
  readonly text: string;
  /** The names of all that is in the answer. */
  readonly names: readonly string[];
};

/** Of a link that is open, and of an operation that was carried out or failed for another reason. */
export const ALLOWED = 'allowed';
export const UNAUTHORIZED = 'amqp:unauthorized-access';

let names = 0;

export class TokenClient {
  readonly connection: Connection;
  #cbs: Promise<Requests | Outcome> | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** By the one pair of links to `$cbs` that a connection may have. */
  async put(token: string, name = `sb://${HOST}/`, type = 'jwt'): Promise<TokenAnswer> {
    this.#cbs ??= this.#openRequests('$cbs');
    const requests = await this.#cbs;
    if ('word' in requests) throw new Error(requests.text);
    const answer = await ask(requests, {
      body: token,
      application_properties: { operation: 'put-token', type, name },
    });
    const { 'status-code': status, 'status-description': text } = answer;
    return { status: Number(status), text: String(text), names: Object.keys(answer) };
  }

  openSender(address: string, properties: Record<string, unknown> = {}): Promise<OpenLink> {
    const link = this.connection.open_sender({ target: { address }, autosettle: true, properties });
    return opened(link, 'sender_error', (resolve) => link.once('sendable', resolve));
  }

  openReceiver(address: string): Promise<OpenLink> {
    const link = this.connection.open_receiver({ source: { address }, credit_window: 0, autoaccept: false });
    return opened(link, 'receiver_error', (resolve) =>
      link.once('receiver_open', () => {
        // One that is refused has no source in its answer.
        if (link.source?.address) resolve();
      }),
    );
  }

  /** Its condition, or that it was let through to what it does. */
  async manage(entityPath: string, operation: string): Promise<Outcome> {
    const requests = await this.#openRequests(`${entityPath}/$management`);
    if ('word' in requests) return requests;
    const answer = await ask(requests, {
      body: rhea.types.wrap_map({}),
      application_properties: { operation },
    });
    requests.sender.close();
    requests.receiver.close();
    const { statusCode, errorCondition, statusDescription } = answer;
    const word = statusCode === 401 ? String(errorCondition) : ALLOWED;
    return { word, text: String(statusDescription) };
  }

  /** Why not, when the node refuses. */
  async #openRequests(node: string): Promise<Requests | Outcome> {
    const sender = await this.openSender(node);
    if (sender.word !== ALLOWED) return sender;
    const replyTo = `reply-${names++}`;
    const options = { source: { address: node }, target: { address: replyTo } };
    const receiver = this.connection.open_receiver(options);
    // Each request that waits for its answer listens.
    receiver.setMaxListeners(0);
    await next(receiver, 'receiver_open');
    return { sender: sender.link as Sender, receiver, replyTo };
  }
}

type Requests = { readonly sender: Sender; readonly receiver: Receiver; readonly replyTo: string };

/** The properties of the answer. */
function ask({ sender, receiver, replyTo }: Requests, request: Message): Promise<Record<string, unknown>> {
  const id = `request-${names++}`;
  sender.send({ message_id: id, reply_to: replyTo, ...request });
  return new Promise((resolve) => {
    const hear = ({ message }: EventContext) => {
      if (message?.correlation_id !== id) return;
      receiver.removeListener('message', hear);
      resolve({ ...message.application_properties });
    };
    receiver.on('message', hear);
  });
}

function opened<L extends Sender | Receiver>(
  link: L,
  refused: string,
  whenOpen: (resolve: () => void) => void,
): Promise<OpenLink> {
  return new Promise((resolve) => {
    whenOpen(() => resolve({ link, word: ALLOWED, text: '' }));
    link.once(refused, () => resolve({ link, ...errorOf(link) }));
  });
}

function errorOf(link: Sender | Receiver): Outcome {
  const { condition, description } = (link.error ?? {}) as { condition?: string; description?: string };
  return { word: String(condition), text: String(description) };
}

/** How a link that is open ends. */
export async function detachOf({ link }: OpenLink): Promise<Outcome> {
  const event: EventContext = await next(link, link.is_sender() ? 'sender_error' : 'receiver_error');
  return errorOf((event.sender ?? event.receiver) as Sender | Receiver);
}
