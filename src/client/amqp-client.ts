// A client of Service Bus, for Azure or an emulator: one connection, a token for each entity, and the links that commands need.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import rhea, { type Connection, type ConnectionOptions, type Session } from 'rhea';
import { JitneyError } from '../jitney-error.js';
import { interruption, type RequestContext, refusalOf, type ServiceError } from './client-error.js';
import { answered, FailureSignal, nextEvent } from './link-end.js';
import { MessageBrowser } from './message-browser.js';
import { MessageManager } from './message-manager.js';
import { MessageReceiver, type ReceiverOptions } from './message-receiver.js';
import { MessageSender } from './message-sender.js';
import { openStream } from './open-stream.js';
import { RequestClient } from './request-client.js';
import { addressOf, bareHost, type Service, tokenFor } from './service.js';

const IDLE_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 2000;
const CBS = '$cbs';
const TOKEN_TYPE = 'servicebus.windows.net:sastoken';
/** Events of rhea that would be printed or thrown if nothing listened. The failures of links and of the connection report the same. */
const HEARD = [
  'error',
  'protocol_error',
  'disconnected',
  'connection_error',
  'connection_close',
  'session_error',
  'session_close',
  'sender_error',
  'sender_close',
  'receiver_error',
  'receiver_close',
];

export class AmqpClient {
  readonly #service: Service;
  readonly #stream: Duplex;
  readonly #connection: Connection;
  readonly #lost: FailureSignal;
  #tokens: Promise<RequestClient> | undefined;
  #finishMs = 0;

  private constructor(service: Service, stream: Duplex, connection: Connection, lost: FailureSignal) {
    this.#service = service;
    this.#stream = stream;
    this.#connection = connection;
    this.#lost = lost;
  }

  /** Every method throws a JitneyError; of the kind `interrupted` if that signal aborts. */
  static async connect(service: Service, interrupted: AbortSignal): Promise<AmqpClient> {
    const stream = await openStream(service, interrupted);
    const lost = new FailureSignal();
    const connection = openConnection(service, stream, lost);
    const client = new AmqpClient(service, stream, connection, lost);
    if (interrupted.aborted) client.#interrupt();
    else interrupted.addEventListener('abort', () => client.#interrupt());
    try {
      const context = client.#contextOf('');
      await answered(nextEvent(connection, 'connection_open'), { failure: lost, context });
      return client;
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  /** The name of the service's product, such as `Jitney`. */
  get product(): string | undefined {
    const properties: { readonly product?: unknown } | undefined = this.#connection.properties;
    return properties?.product === undefined ? undefined : String(properties.product);
  }

  /** From now on, requests that are under way still have this time to end after an interruption. */
  finishWithin(ms: number): void {
    this.#finishMs = ms;
  }

  async openSender(path: string): Promise<MessageSender> {
    return MessageSender.open(await this.#authorizedSession(path), path, this.#surroundings(path));
  }

  async openReceiver(path: string, options: ReceiverOptions): Promise<MessageReceiver> {
    const session = await this.#authorizedSession(path);
    return MessageReceiver.open(session, path, { ...this.#surroundings(path), ...options });
  }

  async openBrowser(path: string): Promise<MessageBrowser> {
    return new MessageBrowser(await this.#openManagement(path), this.#contextOf(path));
  }

  async openManager(path: string): Promise<MessageManager> {
    return new MessageManager(await this.#openManagement(path), this.#contextOf(path));
  }

  async #openManagement(path: string): Promise<RequestClient> {
    const node = `${path}/$management`;
    const session = await this.#authorizedSession(path, node);
    return RequestClient.open(session, node, this.#surroundings(path));
  }

  /** Closes the connection. Everything written before still reaches the service, unless that takes longer than 2 s. */
  async close(): Promise<void> {
    this.#connection.close();
    const signal = AbortSignal.timeout(CLOSE_LIMIT_MS);
    // rhea ends the stream when both sides have closed, and stops its timers when the other side has also ended the stream.
    if (!this.#stream.destroyed) await once(this.#stream, 'close', { signal }).catch(() => {});
    this.#stream.destroy();
  }

  /** A new AMQP session, once the service has taken a token for the entity and for the `node` that is used. */
  async #authorizedSession(path: string, node = path): Promise<Session> {
    this.#tokens ??= RequestClient.open(this.#newSession(), CBS, this.#surroundings(path));
    const tokens = await this.#tokens;
    const { audience, token } = tokenFor(this.#service, node, Date.now());
    const answer = await tokens.request({ operation: 'put-token', type: TOKEN_TYPE, name: audience }, token);
    const { status, description } = answer;
    if (status >= 200 && status < 300) return this.#newSession();
    throw refusalOf(
      { description, condition: answer.condition ?? conditionOf(status) },
      this.#contextOf(path),
    );
  }

  #interrupt(): void {
    const end = () => this.#lost.fail(interruption());
    if (this.#finishMs === 0) end();
    else setTimeout(end, this.#finishMs).unref();
  }

  #newSession(): Session {
    const session = this.#connection.create_session();
    session.begin();
    return session;
  }

  #surroundings(path: string): { readonly lost: FailureSignal; readonly context: RequestContext } {
    return { lost: this.#lost, context: this.#contextOf(path) };
  }

  #contextOf(path: string): RequestContext {
    const { access } = this.#service;
    const keyName = access.kind === 'key' ? access.keyName : undefined;
    return { address: addressOf(this.#service), path, keyName };
  }
}

/** The condition for an answer of `$cbs`, which has only a status. */
function conditionOf(status: number): string | undefined {
  if (status === 401) return 'amqp:unauthorized-access';
  return status === 404 ? 'amqp:not-found' : undefined;
}

function openConnection(service: Service, stream: Duplex, lost: FailureSignal): Connection {
  const container = rhea.create_container({ id: `jitney-${randomUUID()}` });
  for (const event of HEARD) container.on(event, () => {});
  const host = bareHost(service);
  const connection = container.connect({
    connection_details: () => ({
      connect: (_port: number, _host: string, _options: unknown, connected: () => void) => {
        setImmediate(connected);
        return stream;
      },
      host,
      port: 0,
      options: {},
    }),
    host,
    hostname: host,
    username: service.access.kind === 'key' ? service.access.keyName : 'signature',
    reconnect: false,
    idle_time_out: IDLE_LIMIT_MS,
    properties: { product: 'jitney-cli' },
    // The types of rhea do not allow passing in a stream.
  } as unknown as ConnectionOptions);
  const fail = (why: string) =>
    lost.fail(new JitneyError('connection-lost', `The connection to ${addressOf(service)} is lost: ${why}`));
  connection.on('connection_error', () => {
    const error = connection.error as ServiceError | undefined;
    fail(error?.description ?? error?.condition ?? 'the service has closed it');
  });
  connection.on('connection_close', () => fail('the service has closed it'));
  connection.on('protocol_error', (error: Error) => fail(`its answer is not AMQP (${error.message})`));
  connection.on('error', (error: Error) => fail(error.message));
  connection.on('disconnected', ({ error }) => fail(error?.message ?? 'the service has closed it'));
  stream.on('close', () => fail('the service has closed it'));
  return connection;
}
