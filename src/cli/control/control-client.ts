// Calls of the control interface of a running emulator, with a token of their own and errors in its words.

import { suggestedPath } from '../../config/entity-names.js';
import { JitneyError } from '../../jitney-error.js';
import { isWithin, pathKey } from '../../security/resource-path.js';
import { writeSasToken } from '../../security/sas-token.js';
import { originText } from './connection-choice.js';
import type { EmulatorAddress } from './emulator-address.js';
import { openAnswer, readAnswer } from './http-answer.js';
import type { AskRunning } from './running-authority.js';

type Query = Readonly<Record<string, string | undefined>>;

type EventStream = {
  readonly parts: AsyncIterable<string>;
  /** When the emulator was started. */
  readonly startedTime: string;
  readonly close: () => void;
};

type Call = {
  readonly method?: 'GET' | 'POST';
  /** Such as `entities`. */
  readonly name: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: object;
};

const TIMEOUT_MS = 30_000;
const TOKEN_LIFE_MS = 5 * 60_000;
const SHOWN_LENGTH = 200;

export class ControlClient {
  /** Such as `http://localhost:5672`. */
  readonly url: string;
  readonly #address: EmulatorAddress;
  readonly #ca: string | undefined;

  private constructor(address: EmulatorAddress, ca: string | undefined) {
    this.url = `${address.isTls ? 'https' : 'http'}://${address.host}:${address.port}`;
    this.#address = address;
    this.#ca = ca;
  }

  /** With TLS, an emulator of this machine is first asked for the authority that it wants to be trusted. */
  static async open(address: EmulatorAddress, askRunning: AskRunning): Promise<ControlClient> {
    if (!address.isTls) return new ControlClient(address, undefined);
    const { port, host } = address;
    const running = await askRunning({ port, host: host.replace(/^\[(.*)\]$/, '$1') });
    const ca = running.kind === 'authority' ? running.certificate.toString() : undefined;
    return new ControlClient(address, ca);
  }

  /** The answer of a call. Throws a JitneyError. */
  async call<Answer>(call: Call): Promise<Answer> {
    const question = { ...this.#question(call), timeoutMs: TIMEOUT_MS };
    const { status, text } = await readAnswer(this.#urlOf(call), question).catch((cause) => {
      throw this.#unreachable(cause);
    });
    const answer = readJson(text);
    if (status !== 200 || answer === undefined) throw await this.#refusal(call, status, text);
    return answer as Answer;
  }

  /** The events from one position on, as text, until the emulator or the signal ends them. Throws a JitneyError. */
  async openEvents(query: Query, lastEventId: string | undefined, signal: AbortSignal): Promise<EventStream> {
    const call = { name: 'events', query };
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

  #urlOf({ name, query = {} }: Call): string {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, value);
    return `${this.url}/$jitney/v1/${name}${search.size === 0 ? '' : `?${search}`}`;
  }

  #question({ method = 'GET', query = {}, body }: Call) {
    const headers = { authorization: this.#token(query.entity ?? '') };
    if (body === undefined) return { method, headers, ca: this.#ca };
    const json = { ...headers, 'content-type': 'application/json' };
    return { method, headers: json, ca: this.#ca, body: JSON.stringify(body) };
  }

  /** For one entity or, with an empty path, the namespace: the policy of an entity signs for that entity alone. */
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
    const { from } = this.#address;
    return new JitneyError('no-emulator', `No Jitney answers at ${this.url}: ${reason}`, {
      problems: [
        originText(from),
        ...(isUntrusted(cause) ? ['Trust its authority:  NODE_EXTRA_CA_CERTS=<its ca.pem>'] : []),
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
        `No Jitney answers at ${this.url}, but another program: ${status} ${shown}`,
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

  /** A key that is wrong, one of another entity, or one that is right and lacks Manage. */
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
      const text = `${credential} is for '${entityPath}' alone (EntityPath), not for ${other}: ${message}`;
      const name = `Name the entity '${entityPath}', or give a key of the namespace:  --connection-string <text>`;
      return new JitneyError('call-refused', text, { problems: [name] });
    }
    const give = 'Give a key of that emulator:  --connection-string <text>   or:  JITNEY_POLICIES';
    return new JitneyError('call-refused', `${credential} is wrong: ${message}`, {
      problems: [originText(from), give],
    });
  }

  /** A line with the entity whose path is nearest to one that was not found; none if nothing is near, or no list is given. */
  async similarTo(entity: string): Promise<string[]> {
    return nearest(ownerOf(entity), (await this.#paths()) ?? []);
  }

  /** Whether an entity is there, and if not, what is nearest. Undefined if this key may not list the entities. */
  async lookFor(
    entity: string,
  ): Promise<{ readonly isThere: boolean; readonly hints: string[] } | undefined> {
    const wanted = ownerOf(entity);
    const paths = await this.#paths();
    const isThere = paths?.some((path) => path.toLowerCase() === wanted.toLowerCase());
    return isThere === undefined ? undefined : { isThere, hints: nearest(wanted, paths ?? []) };
  }

  /** The subscriptions of a topic; undefined if there is no such topic, or this key may not list the entities. */
  async subscriptionsOf(topic: string): Promise<readonly string[] | undefined> {
    const found = (await this.#listed())?.find(({ path }) => path === topic.toLowerCase());
    return found?.subscriptions?.map(({ path }) => path);
  }

  /** The paths of all entities; undefined if the list is refused, as to a key of one entity. */
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

/** Without a sub-queue. */
export function ownerOf(path: string): string {
  return path.split('/$', 1)[0] ?? '';
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
