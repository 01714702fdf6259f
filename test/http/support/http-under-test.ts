// All that is answered on HTTP, without a socket: the app over an emulator in memory, and answers as a test reads them.

import { XMLParser } from 'fast-xml-parser';
import { brokerOptions } from '../../../src/config/part-options.js';
import type { Engine } from '../../../src/engine/engine.js';
import { createApp } from '../../../src/http/app.js';
import type { HttpEngine } from '../../../src/http/http-context.js';
import { openEmulatorUnderTest, type UnderTestOptions } from '../../support/emulator-under-test.js';
import type { VirtualClock } from '../../support/virtual-clock.js';
import { contextUnderTest } from './http-context.js';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text of the first element of this name, `undefined` when there is none; entities are decoded. */
  valueOf(name: string): string | undefined;
  /** What stands between the tags of the first element of this name, as it stands there. */
  xmlOf(name: string): string | undefined;
  /** The names of the children of the one element in `content`. */
  readonly properties: readonly string[];
};

export type Asking = {
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the request's URL. */
  readonly origin?: string;
};

export type HttpUnderTest = {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  /** Faults of the emulator itself; a test that sees one has found a bug. */
  readonly faults: readonly unknown[];
  ask(method: string, path: string, asking?: Asking): Promise<Answer>;
  /** Whether there is an entity. An entity that is missing in the namespace is answered with an empty feed. */
  exists(path: string): Promise<boolean>;
  /** With a description of this kind in an entry, as the SDKs send it. */
  put(path: string, kind: string, inner: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The same to change what is there. */
  update(path: string, kind: string, inner: string): Promise<Answer>;
  stop(): Promise<void>;
};

const AUTHORIZATION = 'SharedAccessSignature sr=x&sig=x&se=1&skn=x';
const STARTED = new Date(Date.UTC(2025, 11, 31));

/** `engineFor`: what the app is given in place of the engine itself. */
export async function openHttpUnderTest(
  options: Partial<UnderTestOptions> = {},
  engineFor: (engine: Engine) => HttpEngine = (engine) => engine,
): Promise<HttpUnderTest> {
  const under = await openEmulatorUnderTest({ queues: [], ...options });
  let guids = 0;
  const { context, faults } = contextUnderTest(engineFor(under.engine), {
    nextGuid: () => String(++guids).padStart(32, '0'),
    startedTime: STARTED,
    tier: options.tier ?? 'standard',
    limits: brokerOptions(options).limits,
  });
  const handle = createApp(context);
  const ask = async (method: string, path: string, { body, headers, origin }: Asking = {}) => {
    const request = new Request(`${origin ?? 'http://localhost:5300'}${path}`, {
      method,
      headers: { authorization: AUTHORIZATION, ...headers },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
    return readAnswer(await handle(request));
  };
  const put = (path: string, kind: string, inner: string, headers = {}) =>
    ask('PUT', path, { body: entryOf(kind, inner), headers });
  return {
    engine: under.engine,
    clock: under.clock,
    faults,
    ask,
    exists: async (path) => (await ask('GET', path)).text.startsWith('<entry'),
    put,
    update: (path, kind, inner) => put(path, kind, inner, { 'if-match': '*' }),
    stop: () => under.stop(),
  };
}

/** As the JavaScript SDK writes it. */
export function entryOf(kind: string, inner: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><entry xmlns="http://www.w3.org/2005/Atom">' +
    '<updated>2026-01-01T00:00:00.000Z</updated><content type="application/xml">' +
    `<${kind} xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" ` +
    `xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${inner}</${kind}></content></entry>`
  );
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const xmlOf = (name: string) => new RegExp(`<${name}(?: [^>]*)?>(.*?)</${name}>`, 's').exec(text)?.[1];
  return {
    status: response.status,
    headers: response.headers,
    text,
    xmlOf,
    valueOf(name) {
      const inner = xmlOf(name);
      return inner === undefined ? undefined : String(parse(`<a>${inner}</a>`).a);
    },
    get properties() {
      const [content = {}] = Object.values(parse(text).entry?.content ?? {}).filter(isObject);
      return Object.keys(content).filter((name) => !name.startsWith('@_'));
    },
  };
}

function parse(xml: string) {
  return new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false }).parse(xml);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
