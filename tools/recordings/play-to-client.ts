// Plays the recorded answers of the real service to the administration client of the command line, and compares what it reads with what
// they say: lists with all their pages, entities, rules, and refusals.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminClient, type AdminPath } from '../../src/client/admin-client.js';
import { JitneyError, type JitneyErrorKind } from '../../src/jitney-error.js';
import type { Exchange } from './read-recording.js';

export type Played = {
  readonly kind:
    | 'list of one page'
    | 'list of several pages'
    | 'entity or rule'
    | 'nothing there'
    | 'refusal';
  /** The request of the recording. */
  readonly request: string;
  /** The client's error, for people; undefined if it had none. */
  readonly said: string | undefined;
  /** How the client differs from the recording; undefined: it does not. */
  readonly problem: string | undefined;
};

/** Resolves with the names that the client has read. */
type Call = (client: AdminClient) => Promise<readonly string[]>;

type Outcome = { readonly names: readonly string[] } | { readonly error: JitneyError };

const NAMESPACE_INFO = '/$namespaceinfo';
const EMPTY_FEED = '<feed xmlns="http://www.w3.org/2005/Atom"/>';
const TITLE = /<entry[ >].*?<title[^>]*>(.*?)<\/title>/gs;
/** What only Azure's support can use. */
const FOR_SUPPORT = /TrackingId|SystemTracker/;

/** The requests of which the client has a counterpart, each played alone. */
export async function playToClient(exchanges: readonly Exchange[]): Promise<readonly Played[]> {
  let pages: PageSequence | undefined;
  const server = createServer((request, response) => answer(request, response, pages));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = clientOf((server.address() as AddressInfo).port);
  const played: Played[] = [];
  try {
    for (const [index, exchange] of exchanges.entries()) {
      const call = callOf(exchange);
      if (call === undefined) continue;
      pages = new PageSequence(exchanges.slice(index));
      played.push(comparison(exchange, pages, await outcomeOf(call, client)));
    }
    return played;
  } finally {
    client.close();
    server.close();
  }
}

/** An exchange, and the further pages of the same list behind it in the recording. */
class PageSequence {
  readonly answered: Exchange[] = [];
  readonly #left: Exchange[];

  constructor(exchanges: readonly Exchange[]) {
    this.#left = [...exchanges];
  }

  /** The next answer for a request that skips so many entries; undefined if the recording has none. */
  next(skip: string | null): Exchange | undefined {
    const [first] = this.answered;
    // A client that is told to wait asks for the same again.
    if (first !== undefined && first.answer.status >= 300) return first;
    const at = first === undefined ? 0 : this.#left.findIndex((one) => isPageOf(first, one, skip));
    const [found] = at < 0 ? [] : this.#left.splice(0, at + 1).slice(-1);
    if (found !== undefined) this.answered.push(found);
    return found;
  }
}

function isPageOf(first: Exchange, { method, url }: Exchange, skip: string | null): boolean {
  return (
    method === 'GET' && url.pathname === first.url.pathname && skip !== null && skipOf(url.search) === skip
  );
}

function skipOf(search: string): string | null {
  return new URLSearchParams(search).get('$skip');
}

function answer(request: IncomingMessage, response: ServerResponse, pages: PageSequence | undefined): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname.toLowerCase() === NAMESPACE_INFO) {
    // The tier is asked for beside the first entity. Without the right to see it, the client takes Standard.
    response.writeHead(401).end();
    return;
  }
  const found = pages?.next(skipOf(url.search));
  if (found === undefined) {
    // The program that was recorded may have stopped before the last page.
    response.end(EMPTY_FEED);
    return;
  }
  const { status, headers, body } = found.answer;
  const retryAfter = headers.get('retry-after');
  response.writeHead(status, retryAfter === null ? {} : { 'retry-after': retryAfter }).end(body);
}

function clientOf(port: number): AdminClient {
  const access = { kind: 'signature', signature: 'SharedAccessSignature sr=x&sig=x&se=1&skn=x' } as const;
  const service = {
    host: '127.0.0.1',
    port,
    isPlain: true,
    transport: 'amqp',
    access,
    authorities: [],
  } as const;
  return new AdminClient(service, { interrupted: new AbortController().signal, wait: async () => {} });
}

/** The client's call for a request; undefined if it has none. It writes entities in its own words, so of these only refusals count. */
function callOf({ method, url, answer: { status } }: Exchange): Call | undefined {
  const segments = decodeURIComponent(url.pathname).split('/').slice(1);
  const lower = segments.map((segment) => segment.toLowerCase());
  if (lower.includes('messages') || url.pathname.toLowerCase() === NAMESPACE_INFO) return undefined;
  const at = lower.indexOf('subscriptions');
  const entity = (at < 0 ? segments : segments.slice(0, at)).join('/');
  const [subscription, , rule] = at < 0 ? [] : segments.slice(at + 1);
  const isList = lower.at(-1) === 'rules' || lower.at(-1) === 'subscriptions' || lower[0] === '$resources';
  if (method === 'GET' && isList) return listCall(lower, entity, subscription);
  if (isList) return undefined;
  const path: AdminPath = subscription === undefined ? { entity } : { entity, subscription };
  if (method === 'GET') {
    if (subscription === undefined || rule === undefined) return entityCall(path);
    return async (client) => named([await client.getRule(entity, subscription, rule)]);
  }
  if (method === 'DELETE' && rule === undefined) return nothingFrom((client) => client.delete(path));
  if (method !== 'PUT' || rule !== undefined || status < 300) return undefined;
  const type = subscription === undefined ? 'queue' : 'subscription';
  return nothingFrom((client) => client.create(type, path, {}));
}

function listCall(
  lower: readonly string[],
  topicName: string,
  subscription: string | undefined,
): Call | undefined {
  if (lower[1] === 'queues') return async (client) => entityNames(client.listQueues());
  if (lower[1] === 'topics') return async (client) => entityNames(client.listTopics());
  if (lower[0] === '$resources') return undefined;
  if (subscription === undefined) return async (client) => entityNames(client.listSubscriptions(topicName));
  return async (client) => named(await allOf(client.listRules(topicName, subscription)));
}

function entityCall(path: AdminPath): Call {
  return async (client) => named([(await client.get(path))?.description]);
}

function nothingFrom(call: (client: AdminClient) => Promise<void>): Call {
  return async (client) => {
    await call(client);
    return [];
  };
}

async function entityNames(
  list: AsyncIterable<{ readonly description: { readonly name: string } }>,
): Promise<readonly string[]> {
  return named((await allOf(list)).map(({ description }) => description));
}

function named(all: readonly ({ readonly name: string } | undefined)[]): readonly string[] {
  return all.flatMap((one) => (one === undefined ? [] : [one.name]));
}

async function allOf<T>(list: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}

async function outcomeOf(call: Call, client: AdminClient): Promise<Outcome> {
  try {
    return { names: await call(client) };
  } catch (error) {
    if (error instanceof JitneyError) return { error };
    throw error;
  }
}

function comparison(exchange: Exchange, { answered }: PageSequence, outcome: Outcome): Played {
  const request = `${exchange.method} ${exchange.url.pathname}${exchange.url.search}`;
  const { status } = exchange.answer;
  const isMissing = status === 404 && exchange.method === 'GET';
  if (status >= 300 && !(isMissing && 'names' in outcome)) {
    const said = 'error' in outcome ? outcome.error.message : undefined;
    return { kind: 'refusal', request, said, problem: refusalProblem(status, outcome) };
  }
  const titles = answered.flatMap(({ answer: { body } }) =>
    [...body.matchAll(TITLE)].map(([, one = '']) => one),
  );
  const isFeed = exchange.answer.body.startsWith('<feed');
  const some = isFeed
    ? answered.length > 1
      ? 'list of several pages'
      : 'list of one page'
    : 'entity or rule';
  const kind = titles.length === 0 ? 'nothing there' : some;
  if ('error' in outcome) {
    const { message } = outcome.error;
    return { kind, request, said: message, problem: `the client fails: ${message}` };
  }
  const isSame = JSON.stringify(titles) === JSON.stringify(outcome.names);
  const problem = isSame ? undefined : `the service names ${titles}, and the client reads ${outcome.names}`;
  return { kind, request, said: undefined, problem };
}

function refusalProblem(status: number, outcome: Outcome): string | undefined {
  if ('names' in outcome) return `the service refuses with ${status}, and the client does not say so`;
  const { kind, message } = outcome.error;
  const expected = kindOf(status);
  if (!expected.includes(kind))
    return `the service refuses with ${status}, and the client says ${kind}: ${message}`;
  return FOR_SUPPORT.test(message) ? `the client shows data for Azure's support: ${message}` : undefined;
}

function kindOf(status: number): readonly JitneyErrorKind[] {
  if (status === 401) return ['access-refused'];
  // The service says so, too, of what the entity cannot do.
  if (status === 403) return ['access-refused', 'refused'];
  return [status === 404 ? 'no-entity' : 'refused'];
}
