// What a client does on one connection that has to show tokens: puts them, opens links, asks `$management`.

import rhea, { type Connection, type EventContext, type Message, type Receiver, type Sender } from 'rhea';
import { JWT_TYPE, SAS_TOKEN_TYPE } from '../../../src/security/authorizer.js';
import { next } from '../../support/rhea-client.js';
import { HOST } from './secured-emulator.js';

export type Outcome = { readonly word: string; readonly text: string };
export type OpenLink = Outcome & { readonly link: Sender | Receiver };

/** Of a link that is open, and of an operation that was carried out or failed for another reason. */
export const ALLOWED = 'allowed';
export const UNAUTHORIZED = 'amqp:unauthorized-access';

let names = 0;

export class TokenClient {
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Which status the token has. */
  async put(token: string, name = `sb://${HOST}/`, type?: string): Promise<Outcome & { status: number }> {
    const given = type ?? (token.startsWith('SharedAccess') ? SAS_TOKEN_TYPE : JWT_TYPE);
    const answer = await this.#request('$cbs', {
      body: token,
      application_properties: { operation: 'put-token', type: given, name },
    });
    const {
      'status-code': status,
      'status-description': text,
      'error-condition': condition,
    } = propertiesOf(answer);
    return { status: Number(status), text: String(text), word: String(condition ?? ALLOWED) };
  }

  openSender(address: string): Promise<OpenLink> {
    const link = this.connection.open_sender({ target: { address }, autosettle: true });
    return opened(link, 'sender_error', (resolve) => link.once('sendable', resolve));
  }

  openReceiver(address: string): Promise<OpenLink> {
    const link = this.connection.open_receiver({ source: { address }, credit_window: 0 });
    return opened(link, 'receiver_error', (resolve) =>
      link.once('receiver_open', () => {
        // One that is refused has no source in its answer.
        if (link.source?.address) resolve();
      }),
    );
  }

  /** Its condition, or that it was let through to what it does. */
  async manage(entityPath: string, operation: string): Promise<Outcome> {
    const answer = await this.#request(`${entityPath}/$management`, {
      body: rhea.types.wrap_map({}),
      application_properties: { operation },
    });
    const { statusCode, errorCondition, statusDescription } = propertiesOf(answer);
    const word = statusCode === 401 ? String(errorCondition) : ALLOWED;
    return { word, text: String(statusDescription) };
  }

  async #request(node: string, request: Message): Promise<Message | OpenLink> {
    const replyTo = `reply-${names++}`;
    const sender = await this.openSender(node);
    if (sender.word !== ALLOWED) return sender;
    const options = { source: { address: node }, target: { address: replyTo }, credit_window: 1 };
    const receiver = this.connection.open_receiver(options);
    await next(receiver, 'receiver_open');
    const answer = next(receiver, 'message');
    (sender.link as Sender).send({ message_id: 'one', reply_to: replyTo, ...request });
    const { message } = await answer;
    sender.link.close();
    receiver.close();
    if (message === undefined) throw new Error('the answer has no message');
    return message;
  }
}

/** An attach that is refused looks like an answer. */
function propertiesOf(answer: Message | OpenLink): Record<string, unknown> {
  if (!('link' in answer)) return { ...answer.application_properties };
  return { statusCode: 401, errorCondition: answer.word, statusDescription: answer.text };
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
