// The HTTP API without sockets: requests go to the app as objects, behind it a whole engine on a virtual clock.

import type { Engine } from '../../../src/engine/engine.js';
import { createApp } from '../../../src/http/app.js';
import { openEmulatorUnderTest, type UnderTestOptions } from '../../support/emulator-under-test.js';
import type { VirtualClock } from '../../support/virtual-clock.js';
import { VirtualTimers } from '../../support/virtual-timers.js';
import { contextUnderTest } from '../support/http-context.js';

export type Body = NonNullable<ConstructorParameters<typeof Response>[0]>;

export type Asked = {
  /** Names as the client spells them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal?: AbortSignal;
};

export type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly text: string;
  /** Of a received message. */
  readonly brokerProperties: Readonly<Record<string, unknown>>;
};

export type HttpUnderTest = {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  /** Move the waits of receivers. */
  readonly timers: VirtualTimers;
  /** Faults of the emulator itself; a test that sees one has found a bug. */
  readonly faults: readonly unknown[];
  ask(method: string, path: string, asked?: Asked): Promise<Answered>;
  /** Sends one message and expects that it is taken. */
  send(entity: string, body: Body, headers?: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves when a receiver waits for a message. */
  waiting(): Promise<void>;
  stop(): Promise<void>;
};

export const HOST = 'jitney.test';
const TOKEN = 'SharedAccessSignature sr=x&sig=x&se=1&skn=x';

export async function openHttp(options: Partial<UnderTestOptions>): Promise<HttpUnderTest> {
  const emulator = await openEmulatorUnderTest({ queues: [], ...options });
  const timers = new VirtualTimers();
  const { context, faults } = contextUnderTest(emulator.engine, { startTimer: timers.startTimer });
  const handle = createApp(context);
  const ask = async (method: string, path: string, { headers = {}, body, signal }: Asked = {}) => {
    const sent = new Headers({ ...headers, authorization: TOKEN });
    // A text would bring a content type of its own.
    if (headers['content-type'] === undefined && headers['Content-Type'] === undefined)
      sent.set('content-type', '');
    const request = new Request(`http://${HOST}/${path}`, {
      method,
      headers: sent,
      signal: signal ?? null,
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
    return answered(await handle(request, { headerNames: Object.keys(headers), target: path }));
  };
  return {
    engine: emulator.engine,
    clock: emulator.clock,
    timers,
    faults,
    ask,
    async send(entity, body, headers = {}) {
      const { status, text } = await ask('POST', `${entity}/messages`, { body, headers });
      if (status !== 201) throw new Error(`sending was answered with ${status}: ${text}`);
    },
    async waiting() {
      while (timers.delays.length === 0) await new Promise(setImmediate);
    },
    stop: () => emulator.stop(),
  };
}

async function answered(response: Response): Promise<Answered> {
  const body = Buffer.from(await response.arrayBuffer());
  const json = response.headers.get('brokerproperties') ?? '{}';
  return {
    status: response.status,
    headers: response.headers,
    body,
    text: body.toString(),
    brokerProperties: JSON.parse(json) as Record<string, unknown>,
  };
}

/** The path in a `Location`, without the slash it begins with. */
export function placeOf({ headers }: Answered): string {
  return new URL(headers.get('location') ?? '').pathname.slice(1);
}
