// Requests of an administration client over HTTP or HTTPS, each with a token. Waits when the service is busy, and reports refusals.

import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { parseXml } from '../atom/xml/parse-xml.js';
import { childNamed, elementText, type XmlElement, XmlError } from '../atom/xml/xml-element.js';
import { isOfKind, JitneyError } from '../jitney-error.js';
import { writeSasToken } from '../security/sas-token.js';
import { adminRefusalOf } from './admin-refusal.js';
import { interruption } from './client-error.js';
import { connectError, tlsOptions } from './open-stream.js';
import { bareHost, type Service } from './service.js';

export type AdminRequest = {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Segments of the path, without escapes. A name with slashes is several segments. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isUpdate?: boolean;
  /** Whether an entity in the body forwards to another one, for which the service wants a token, too. */
  readonly isForwarding?: boolean;
};

export type AdminConnectionOptions = {
  readonly interrupted: AbortSignal;
  /** Called before each wait because the service is busy. */
  readonly onBusy?: (waitMs: number) => void;
  /** Default: waits in real time. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

type Answer = { readonly status: number; readonly retryAfter: string | undefined; readonly text: string };

const API_VERSION = '2021-05';
/** The headers of tokens for the destinations of messages and of dead letters. */
const FORWARDING_TOKEN = 'ServiceBusSupplementaryAuthorization';
const DEAD_LETTER_FORWARDING_TOKEN = 'ServiceBusDlqSupplementaryAuthorization';
const HTTPS_PORT = 443;
const HTTP_PORT = 5672;
const TOKEN_MS = 60 * 60 * 1000;
const ANSWER_LIMIT_MS = 60_000;
/** A service that is busy for longer than all these waits is given up. */
const MOST_ATTEMPTS = 10;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** The longest part of an answer that is not XML, for people. */
const MOST_SHOWN = 300;
/** How many requests run at the same time: with more, Azure throttles. */
const MOST_SOCKETS = 8;
/** A page of 100 entities, each with 12 authorization rules, has about 35,000 tags. */
const ANSWER_SIZE = { maxTags: 1_000_000, maxAttributes: 1_000_000 };

export class AdminConnection {
  /** For people: `https://ns.servicebus.windows.net`. */
  readonly address: string;
  readonly #service: Service;
  readonly #options: AdminConnectionOptions;
  readonly #agent: Agent;

  constructor(service: Service, options: AdminConnectionOptions) {
    this.#service = service;
    this.#options = options;
    const port = portOf(service);
    const scheme = service.isPlain ? 'http' : 'https';
    this.address = `${scheme}://${service.host}${port === HTTPS_PORT ? '' : `:${port}`}`;
    const sockets = { keepAlive: true, maxSockets: MOST_SOCKETS };
    this.#agent = service.isPlain ? new Agent(sockets) : new TlsAgent({ ...sockets, ...tlsOptions(service) });
  }

  /** The host and port as addresses of entities name them, such as forwarding targets. */
  get host(): string {
    const { host, port } = this.#service;
    return port === undefined ? host : `${host}:${port}`;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The outermost element of the answer; undefined if it has none. Throws a JitneyError. */
  async request(request: AdminRequest): Promise<XmlElement | undefined> {
    const { interrupted, onBusy, wait = waitInRealTime } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(request);
      if (answer.status < 300) return this.#parsed(answer.text, request);
      const isBusy = answer.status === 429 || answer.status === 503;
      if (!isBusy || attempt === MOST_ATTEMPTS) throw this.#refusal(answer, request);
      const waitMs = waitOf(answer, attempt);
      onBusy?.(waitMs);
      await wait(waitMs, interrupted).catch((error: unknown) => {
        throw interruption(error);
      });
    }
  }

  async #send(request: AdminRequest): Promise<Answer> {
    const { interrupted } = this.#options;
    const timeUp = AbortSignal.timeout(ANSWER_LIMIT_MS);
    try {
      return await this.#sendOnce(request, AbortSignal.any([interrupted, timeUp]));
    } catch (error) {
      if (interrupted.aborted) throw interruption(error);
      if (timeUp.aborted) {
        const text = `${this.address} has not answered a request for '${nameOf(request)}' in ${ANSWER_LIMIT_MS / 1000} s`;
        throw new JitneyError('no-answer', text, { cause: error });
      }
      throw isOfKind(error, 'refused') ? error : connectError(this.address, error);
    }
  }

  async #sendOnce(request: AdminRequest, signal: AbortSignal): Promise<Answer> {
    const { method, path, query = {}, body } = request;
    const service = this.#service;
    const search = new URLSearchParams({ 'api-version': API_VERSION, ...query });
    const start = service.isPlain ? requestHttp : requestHttps;
    const sending = start({
      agent: this.#agent,
      host: bareHost(service),
      port: portOf(service),
      method,
      path: `${pathnameOf(path)}?${search}`,
      headers: this.#headers(request),
      signal,
    });
    // An error after the answer has no listener of its own.
    sending.on('error', () => {}).end(body);
    const [response] = (await once(sending, 'response', { signal })) as [IncomingMessage];
    const chunks = await response.toArray({ signal });
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      text: Buffer.concat(chunks).toString('utf8'),
    };
  }

  #headers({ path, body, isUpdate = false, isForwarding = false }: AdminRequest): OutgoingHttpHeaders {
    const own = this.#tokenFor(pathnameOf(path));
    const whole = this.#tokenFor('/');
    return {
      authorization: own,
      accept: 'application/xml',
      'user-agent': 'jitney-cli',
      ...(body === undefined
        ? {}
        : {
            'content-type': 'application/atom+xml;type=entry;charset=utf-8',
            'content-length': Buffer.byteLength(body),
          }),
      ...(isUpdate ? { 'if-match': '*' } : {}),
      ...(isForwarding
        ? {
            [FORWARDING_TOKEN]: whole,
            [DEAD_LETTER_FORWARDING_TOKEN]: whole,
          }
        : {}),
    };
  }

  #tokenFor(pathname: string): string {
    const { access } = this.#service;
    if (access.kind === 'signature') return access.signature;
    const { keyName, key } = access;
    const audience = `${this.#service.isPlain ? 'http' : 'https'}://${this.host}${pathname}`;
    return writeSasToken({ audience, keyName, key, expiresAtMs: Date.now() + TOKEN_MS });
  }

  #parsed(text: string, request: AdminRequest): XmlElement | undefined {
    if (text.trim() === '') return undefined;
    try {
      return parseXml(text, ANSWER_SIZE);
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      const message = `${this.address} answers a request for '${nameOf(request)}' with something else than XML: ${error.message}`;
      throw new JitneyError('refused', message, { cause: error });
    }
  }

  #refusal({ status, text }: Answer, request: AdminRequest): JitneyError {
    const { access } = this.#service;
    const keyName = access.kind === 'key' ? access.keyName : undefined;
    return adminRefusalOf(
      { status, detail: detailIn(text) },
      { address: this.address, path: nameOf(request), keyName },
    );
  }
}

function portOf({ port, isPlain }: Service): number {
  return port ?? (isPlain ? HTTP_PORT : HTTPS_PORT);
}

/** Each segment is escaped, except for the `$` of reserved names. */
function pathnameOf(path: readonly string[]): string {
  return `/${path.map(encodeURIComponent).join('/').replaceAll('%24', '$')}`;
}

function nameOf({ path }: AdminRequest): string {
  return path.join('/');
}

/** As long as the service asks for, or twice as long each time. */
function waitOf({ retryAfter = '' }: Answer, attempt: number): number {
  const seconds = /^\d{1,6}(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const untilMs = Date.parse(retryAfter) - Date.now();
  const requestedMs = seconds === undefined ? untilMs : seconds * 1000;
  const ownMs = FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(Math.max(Number.isNaN(requestedMs) ? ownMs : requestedMs, 0), LONGEST_WAIT_MS);
}

async function waitInRealTime(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal });
}

/** The sentence in `<Error><Code>401</Code><Detail>...</Detail></Error>`, or the start of another body. */
function detailIn(text: string): string {
  try {
    const detail = childNamed(parseXml(text), 'Detail');
    if (detail !== undefined) return elementText(detail).trim();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
  }
  return text
    .slice(0, MOST_SHOWN)
    .replace(/<[^<>]*>/g, ' ')
    .trim();
}
