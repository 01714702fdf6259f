// Calls the control interface of a running emulator, each time with a new token. Errors repeat the emulator's words.

import { suggestedPath } from '../../config/entity-names.js';
import { splitKeyName } from '../../description/namespace-name.js';
import { JitneyError } from '../../jitney-error.js';
import { isWithin, pathKey } from '../../security/resource-path.js';
import { writeSasToken } from '../../security/sas-token.js';
import { originText } from './connection-choice.js';
import type { EmulatorAddress } from './emulator-address.js';
import { fullPath, ownerOf } from './full-path.js';
import { openAnswer, readAnswer } from './http-answer.js';
import type { AskRunning } from './running-authority.js';
import { portOption } from './target-options.js';

type Query = Readonly<Record<string, string | undefined>>;

type EventStream = {
  readonly parts: AsyncIterable<string>;
  /** When the emulator was started. */
  readonly startedTime: string;
  readonly close: () => void;
};

type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Such as `entities`. */
  readonly name: string;
  readonly query?: Query;
  /** Sent as JSON, unless it is bytes. */
  readonly body?: object | Uint8Array;
};

const TIMEOUT_MS = 30_000;
const LOOK_LIMIT_MS = 10_000;
/** The code of the answer without a control interface. */
const SWITCHED_OFF = 'switched-off';
const TOKEN_LIFE_MS = 5 * 60_000;
const SHOWN_LENGTH = 200;

export class ControlClient {
  /** Such as `http://localhost:5672`. */
  readonly url: string;
  /** The options that lead to this emulator, to repeat in a printed command, such as ` --port 5673`. */
  readonly options: string;
  readonly #address: EmulatorAddress;
  readonly #ca: string | undefined;

  private constructor(address: EmulatorAddress, ca: string | undefined) {
    this.url = `${address.isTls ? 'https' : 'http'}://${address.host}:${address.port}`;
    this.options = address.options;
    this.#address = address;
    this.#ca = ca;
  }

  /** Opens a client. For TLS, it first asks an emulator on this machine which authority to trust. */
  static async open(address: EmulatorAddress, askRunning: AskRunning): Promise<ControlClient> {
    if (!address.isTls) return new ControlClient(address, undefined);
    const { port, host } = address;
    const running = await askRunning({ port, host: host.replace(/^\[(.*)\]$/, '$1') });
    const ca = running.kind === 'authority' ? running.certificate.toString() : undefined;
    return new ControlClient(address, ca);
  }

  /** Whether a Jitney answers whose control interface is on, also if it refuses the key. Throws a JitneyError if nothing answers in time. */
  async isAnswered(): Promise<boolean> {
    const call = { name: 'info' };
    const question = { ...this.#question(call), timeoutMs: LOOK_LIMIT_MS };
    const answer = await readAnswer(this.#urlOf(call), question).catch((cause: Error) => {
      // A Jitney that is too busy to answer must not be taken for another service.
      if (cause.name === 'AbortError' || cause.name === 'TimeoutError') throw this.#unreachable(cause);
      return undefined;
    });
    const body = readJson<{ error?: { code?: string; message?: string } }>(answer?.text ?? '');
    if (answer?.status === 200) return body !== undefined;
    return body?.error?.message !== undefined && body.error.code !== SWITCHED_OFF;
  }

  /** The answer of a call, whose entity may be typed in short. Throws a JitneyError. */
  async call<Answer>(given: Call): Promise<Answer> {
    const call = await this.#inFull(given);
    const question = { ...this.#question(call), timeoutMs: TIMEOUT_MS };
    const { status, text } = await readAnswer(this.#urlOf(call), question).catch((cause) => {
      throw this.#unreachable(cause);
    });
    const answer = readJson(text);
    if (status !== 200 || answer === undefined) throw await this.#refusal(call, status, text);
    return answer as Answer;
  }

  /** The bytes of an answer that is not JSON. Throws a JitneyError. */
  async read(given: Call): Promise<Uint8Array> {
    const call = await this.#inFull(given);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = await openAnswer(this.#urlOf(call), this.#question(call), signal);
      const bytes = Buffer.concat(await answer.toArray());
      if (answer.statusCode === 200) return bytes;
      throw await this.#refusal(call, answer.statusCode ?? 0, bytes.toString());
    } catch (error) {
      throw error instanceof JitneyError ? error : this.#unreachable(error as Error);
    }
  }

  /** Opens the stream of events, as text, which ends with the emulator or the signal. Throws a JitneyError. */
  async openEvents(query: Query, lastEventId: string | undefined, signal: AbortSignal): Promise<EventStream> {
    const call = await this.#inFull({ name: 'events', query });
    const { headers, ...question } = this.#question(call);
    const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const given = { ...question, headers: { ...headers, ...resumed } };
    const answer = await openAnswer(this.#urlOf(call), given, signal).catch((cause) => {
      throw this.#unreachable(cause);
    });
    answer.setEncoding('utf8');
    if (answer.statusCode === 200) {
      const startedTime = answer.headers['jitney-started-time']?.toString() ?? '';
      return { parts: answer, startedTime, close: () => answer.destroy() };
    }
    throw await this.#refusal(call, answer.statusCode ?? 0, (await answer.toArray()).join(''));
  }

  async #inFull(call: Call): Promise<Call> {
    if (call.query?.entity === undefined) return call;
    return { ...call, query: { ...call.query, entity: await this.fullPath(call.query.entity) } };
  }

  #urlOf({ name, query = {} }: Call): string {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, value);
    const { access } = this.#address;
    const ofKey = access.kind === 'key' ? splitKeyName(access.keyName).namespace : undefined;
    const { namespace = ofKey } = this.#address;
    const within = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
    return `${this.url}/$jitney/v1/${within}${name}${search.size === 0 ? '' : `?${search}`}`;
  }

  #question({ method = 'GET', query = {}, body }: Call) {
    const headers = { authorization: this.#token(query.entity ?? '') };
    if (body === undefined) return { method, headers, ca: this.#ca };
    const isBytes = body instanceof Uint8Array;
    const type = { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' };
    const given = isBytes ? body : JSON.stringify(body);
    return { method, headers: { ...headers, ...type }, ca: this.#ca, body: given };
  }

  /** Makes a token for one entity, because the policy of an entity can sign only for that entity; an empty path means the namespace. */
  #token(entityPath: string): string {
    const { access, host } = this.#address;
    if (access.kind === 'signature') return access.signature;
    return writeSasToken({
      ...access,
      audience: `sb://${host}/${entityPath}`,
      expiresAtMs: Date.now() + TOKEN_LIFE_MS,
    });
  }

  #unreachable(cause: NodeJS.ErrnoException): JitneyError {
    const reason = cause.name === 'AbortError' ? 'it does not answer in time' : cause.message || cause.code;
    const { from, port } = this.#address;
    return new JitneyError('no-emulator', `No Jitney answers at ${this.url}: ${reason}`, {
      problems: [
        originText(from),
        ...(isUntrusted(cause)
          ? ['Trust its authority:  NODE_EXTRA_CA_CERTS=<its ca.pem>']
          : [`Start it:  jitney start${portOption(port)}`]),
      ],
      cause,
    });
  }

  async #refusal(call: Call, status: number, text: string): Promise<JitneyError> {
    const { error } = readJson<{ error?: { code?: string; message?: string; hint?: string } }>(text) ?? {};
    if (error?.message === undefined) {
      const shown = JSON.stringify(text.slice(0, SHOWN_LENGTH));
      return new JitneyError(
        'no-emulator',
        `No Jitney answers at ${this.url}, but another program does: ${status} ${shown}`,
      );
    }
    const { code, message, hint } = error;
    const hints = hint === undefined ? [] : [hint];
    if (status === 401) {
      const wanted = call.query?.entity ?? '';
      return this.#keyRefused(code === 'missing-right', message, wanted);
    }
    if (code === 'entity-not-found' && hint === undefined)
      hints.push(...(await this.similarTo(call.query?.entity ?? '')));
    return new JitneyError('call-refused', message, { problems: hints });
  }

  /** The error for a refused key: it is wrong, or for another entity, or valid but without Manage. */
  #keyRefused(isRight: boolean, message: string, wanted: string): JitneyError {
    const { access, entityPath, from } = this.#address;
    const credential = access.kind === 'key' ? `The key '${access.keyName}'` : 'The token';
    if (isRight) {
      const give = 'Give a key with Manage:  --connection-string <text>';
      return new JitneyError('call-refused', `${credential} lacks the right Manage: ${message}`, {
        problems: [give],
      });
    }
    if (entityPath !== undefined && !isWithin(pathKey(wanted), pathKey(entityPath))) {
      const other = wanted === '' ? 'the namespace' : `'${wanted}'`;
      const text = `${credential} is only for '${entityPath}' (EntityPath), not for ${other}: ${message}`;
      const name = `Name the entity '${entityPath}', or give a key of the namespace:  --connection-string <text>`;
      return new JitneyError('call-refused', text, { problems: [name] });
    }
    const give = 'Give a key of that emulator:  --connection-string <text>   or:  JITNEY_POLICIES';
    return new JitneyError('call-refused', `${credential} is wrong: ${message}`, {
      problems: [originText(from), give],
    });
  }

  /**
   * A line that names the entity with the most similar path; no line if none is similar, or the list of entities is refused. `isSend`: only
   * among queues and topics.
   */
  async similarTo(entity: string, { isSend = false } = {}): Promise<string[]> {
    const paths = isSend ? (await this.#listed())?.map(({ path }) => path) : await this.#paths();
    return nearest(ownerOf(entity), paths ?? []);
  }

  /** Whether an entity exists, and if not, a hint at a similar one. Undefined if this key may not list the entities. */
  async lookFor(
    entity: string,
  ): Promise<{ readonly isThere: boolean; readonly hints: readonly string[] } | undefined> {
    const wanted = ownerOf(entity);
    const paths = await this.#paths();
    const isThere = (path: string) => path.toLowerCase() === wanted.toLowerCase();
    return paths && { isThere: paths.some(isThere), hints: nearest(wanted, paths) };
  }

  /** The path in full of an entity that is typed in short; the path as it is if this key may not list the entities. */
  async fullPath(entity: string): Promise<string> {
    return fullPath(entity, async (path) => (await this.lookFor(path))?.isThere === true);
  }

  /** The subscriptions of a topic; undefined if there is no such topic, or this key may not list the entities. */
  async subscriptionsOf(topic: string): Promise<readonly string[] | undefined> {
    const found = (await this.#listed())?.find(({ path }) => path === topic.toLowerCase());
    return found?.subscriptions?.map(({ path }) => path);
  }

  /** The paths of all entities; undefined if the list is refused, as it is for the key of one entity. */
  async #paths(): Promise<readonly string[] | undefined> {
    return (await this.#listed())?.flatMap(({ path, subscriptions = [] }) => [
      path,
      ...subscriptions.map((subscription) => subscription.path),
    ]);
  }

  async #listed(): Promise<readonly NamedEntity[] | undefined> {
    const listing = this.call<{ readonly entities: readonly NamedEntity[] }>({ name: 'entities' });
    return (await listing.catch(() => undefined))?.entities;
  }
}

function nearest(wanted: string, paths: readonly string[]): string[] {
  const line = suggestedPath(wanted, paths);
  return line === '' ? [] : [line.trim()];
}

type NamedEntity = { readonly path: string; readonly subscriptions?: readonly { readonly path: string }[] };

function isUntrusted({ code = '' }: NodeJS.ErrnoException): boolean {
  return /CERT|ISSUER|SIGN|ALTNAME/.test(code);
}

function readJson<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
