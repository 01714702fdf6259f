// A plain AMQP client of message sessions: accepts them, gives them back, and asks for what is stored with them.

import rhea, { type Connection, type EventContext, type Receiver, type Sender } from 'rhea';
import {
  type Address,
  closeConnection,
  nextEvent,
  openConnection,
  PEEK_LOCK,
} from '../million/connection.js';

export type HeldSession = { readonly sessionId: string; readonly receiver: Receiver };

const SESSION_FILTER = 'com.microsoft:session-filter';
const RESPONSES = 'responses';
const OK = 200;

/** Rejects when the broker ends the connection or a link, whatever `use` waits for then. */
export async function withSessionClient<Value>(
  address: Address,
  queue: string,
  use: (client: SessionClient) => Promise<Value>,
): Promise<Value> {
  let onLost = (_: Error) => {};
  const lost = new Promise<never>((_, reject) => {
    onLost = reject;
  });
  const connection = openConnection(address, (error) => onLost(error));
  const value = await Promise.race([SessionClient.open(connection, queue).then(use), lost]);
  await closeConnection(connection);
  return value;
}

export class SessionClient {
  readonly #connection: Connection;
  readonly #queue: string;
  readonly #requests: Sender;
  readonly #waiting = new Map<number, (response: EventContext) => void>();
  #lastRequest = 0;

  private constructor(connection: Connection, queue: string, requests: Sender) {
    this.#connection = connection;
    this.#queue = queue;
    this.#requests = requests;
  }

  static async open(connection: Connection, queue: string): Promise<SessionClient> {
    const node = `${queue}/$management`;
    const responses = connection.open_receiver({ source: node, target: RESPONSES });
    await nextEvent(responses, 'receiver_open');
    const requests = connection.open_sender({ target: node });
    await nextEvent(requests, 'sendable');
    const client = new SessionClient(connection, queue, requests);
    responses.on('message', (response: EventContext) => client.#answered(response));
    return client;
  }

  /** Undefined: whichever is the next. */
  async accept(sessionId: string | undefined): Promise<HeldSession> {
    const filter = { [SESSION_FILTER]: sessionId ?? null };
    const receiver = this.#connection.open_receiver({
      source: { address: this.#queue, filter },
      ...PEEK_LOCK,
    });
    await nextEvent(receiver, 'receiver_open');
    const accepted: unknown = receiver.source?.filter?.[SESSION_FILTER];
    if (typeof accepted !== 'string' || (sessionId ?? accepted) !== accepted) {
      throw new Error(`asked for session ${sessionId ?? '(next)'} and got ${accepted}`);
    }
    return { sessionId: accepted, receiver };
  }

  async release({ receiver }: HeldSession): Promise<void> {
    const closed = nextEvent(receiver, 'receiver_close');
    receiver.close();
    await closed;
  }

  async setState(sessionId: string, state: Buffer): Promise<void> {
    await this.#ask('set', { 'session-id': sessionId, 'session-state': state });
  }

  async state(sessionId: string): Promise<Buffer> {
    const { message } = await this.#ask('get', { 'session-id': sessionId });
    const state: unknown = message?.body['session-state'];
    if (!Buffer.isBuffer(state)) throw new Error(`session ${sessionId} has no state`);
    return state;
  }

  #ask(verb: 'get' | 'set', body: Readonly<Record<string, unknown>>): Promise<EventContext> {
    const id = ++this.#lastRequest;
    const operation = `com.microsoft:${verb}-session-state`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (response) => {
        const { statusCode, statusDescription } = response.message?.application_properties ?? {};
        if (statusCode === OK) resolve(response);
        else reject(new Error(`${operation} is answered with ${statusCode} ${statusDescription}`));
      });
      this.#requests.send({
        message_id: rhea.types.wrap_ulong(id),
        reply_to: RESPONSES,
        application_properties: { operation },
        body,
      });
    });
  }

  #answered(response: EventContext): void {
    const id = Number(response.message?.correlation_id);
    this.#waiting.get(id)?.(response);
    this.#waiting.delete(id);
  }
}
