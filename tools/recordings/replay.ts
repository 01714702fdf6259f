// Sends the requests of a recording to a fresh emulator, in order, and pairs each answer of the service with ours.

import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Line, linesOf, type NamespaceNames } from './answer-lines.js';
import { bodyInAnswer, isDescribing, isUpdate, presupposedBy } from './presupposed.js';
import type { Answer, Exchange } from './read-recording.js';

export type Replayed = {
  readonly exchange: Exchange;
  readonly service: readonly Line[];
  readonly ours: readonly Line[];
};

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
};

const UPDATE = { 'if-match': '*' };
const TOKEN = { authorization: 'SharedAccessSignature sr=x&sig=x&se=1&skn=x' };
/** Headers of the connection, and those of which recordings hold a substitute. */
const NOT_SENT =
  /^(?:host|connection|content-length|accept-encoding|authorization|servicebus.*authorization)$/;
const SERVICE_HOST = /[\w-]+\.servicebus\.windows\.net/g;
/** Elements that tell what happened to an entity before the recording. */
const EARLIER = /(?:SizeInBytes|MessageCount|SubscriptionCount|AccessedAt)$/;

/** The emulator must be empty, and listen on the loopback of this port. */
export async function replay(exchanges: readonly Exchange[], port: number): Promise<readonly Replayed[]> {
  const ourHost = `localhost:${port}`;
  const [serviceNames, ourNames] = [namesIn(exchanges), { hosts: [ourHost], names: ['localhost'] }];
  const toUs = (description: Buffer) => Buffer.from(String(description).replaceAll(SERVICE_HOST, ourHost));
  const presupposed = presupposedBy(exchanges);
  for (const { path, body, comesWithParent } of presupposed) {
    const headers = { ...TOKEN, ...(comesWithParent ? UPDATE : {}) };
    const answer = await send(port, { method: 'PUT', path, headers, body: toUs(body) });
    if (answer.status >= 300) throw new Error(`${path} must exist before, and is refused: ${answer.body}`);
  }
  const ignored = presupposed.length > 0 ? EARLIER : undefined;
  /** The paths of locked messages, the service's and ours. */
  const locked = new Map<string, string>();
  const replayed: Replayed[] = [];
  for (const exchange of exchanges) {
    const { method, url, answer } = exchange;
    const search = answer.status === 204 ? '?timeout=0' : url.search;
    const description = isDescribing(exchange) ? toUs(exchange.body ?? bodyInAnswer(exchange)) : undefined;
    const given = await send(port, {
      method,
      path: (locked.get(url.pathname) ?? url.pathname) + search,
      headers: headersOf(exchange),
      body: description ?? exchange.body,
    });
    const [theirs, ours] = [answer, given].map((one) => one.headers.get('location'));
    if (theirs && ours) locked.set(new URL(theirs).pathname, new URL(ours).pathname);
    const service = linesOf(answer, serviceNames, ignored);
    replayed.push({ exchange, service, ours: linesOf(given, ourNames, ignored) });
  }
  return replayed;
}

/** A recording does not hold the token. Where the service refused it, none is sent. */
function headersOf(exchange: Exchange): Record<string, string> {
  const recorded = [...exchange.headers].filter(([name]) => !NOT_SENT.test(name));
  return {
    ...Object.fromEntries(recorded),
    ...(exchange.answer.status === 401 ? {} : TOKEN),
    ...(isUpdate(exchange) ? UPDATE : {}),
  };
}

/** Recorders replace the namespace in some places and not in others. */
function namesIn(exchanges: readonly Exchange[]): NamespaceNames {
  const texts = exchanges.map(({ url, answer }) => `${url.href} ${answer.body}`).join(' ');
  const hosts = [...new Set(texts.match(SERVICE_HOST))];
  return { hosts, names: hosts.map((host) => host.split('.', 1)[0] ?? host) };
}

function send(port: number, { method, path, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const asked = request({ host: 'localhost', port, method, path, headers: { ...headers, ...length } });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      const given = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) given.set(name, String(value));
      buffer(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 0, headers: given, body: String(bytes) }),
        reject,
      );
    });
    asked.end(body);
  });
}
