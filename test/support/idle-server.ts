// A server whose clock the test advances, and clients that send nothing but heartbeats.

import type { Duplex } from 'node:stream';
import rhea from 'rhea';
import { expect } from 'vitest';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from './emulator-under-test.js';
import type { FrameChannel } from './frame-channel.js';
import { FrameClient } from './frame-client.js';
import { bin, str, sym } from './frame-encoder.js';
import { conditionOf, descriptionOf } from './frame-fields.js';
import { attachSender, beginSession, openConnection, sendPieces } from './frame-links.js';
import type { Fields } from './frame-lists.js';
import { turns } from './rhea-client.js';

export type IdleClient = {
  readonly duplex: Duplex;
  readonly client: FrameClient;
  readonly session: FrameChannel;
};
export type Sasl = { readonly mechanism: string; readonly response: string };

const HEARTBEAT = Buffer.from('0000000802000000', 'hex');
/** Well below the idle-time-out of the transport, which is another matter. */
const STEP_MS = 50_000;
export const ANONYMOUS: Sasl = { mechanism: 'ANONYMOUS', response: '\0defaultKeyName' };
/** The suffix of every error (SND-04). */
export const TRACKED =
  /\. TrackingId:[0-9a-f-]{36}, SystemTracker:\S+, Timestamp:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
/** The handle of the link to `$cbs`. */
const CBS_HANDLE = 9;

/** The server's look at the clock, while there is somebody to look after. */
type Look = { at: ((nowMs: number) => void) | undefined };

export class IdleServer {
  readonly emulator: EmulatorUnderTest;
  readonly #look: Look;
  readonly #clients: Duplex[] = [];
  #nowMs = 0;

  private constructor(emulator: EmulatorUnderTest, look: Look) {
    this.emulator = emulator;
    this.#look = look;
  }

  /** An emulator with a queue `q`. */
  static async open(options: Omit<UnderTestOptions, 'queues' | 'ticker'>): Promise<IdleServer> {
    const look: Look = { at: undefined };
    const ticker = (tick: (nowMs: number) => void) => {
      look.at = tick;
      return () => {
        look.at = undefined;
      };
    };
    return new IdleServer(await openEmulatorUnderTest({ ...options, queues: ['q'], ticker }), look);
  }

  get isTicking(): boolean {
    return this.#look.at !== undefined;
  }

  /** Without SASL unless told otherwise. */
  async connect(sasl?: Sasl, open: Fields<'open'> = {}): Promise<IdleClient> {
    const duplex = this.emulator.connect();
    duplex.on('end', () => duplex.end());
    this.#look.at?.(this.#nowMs);
    this.#clients.push(duplex);
    const client = new FrameClient(duplex);
    if (sasl !== undefined) await speakSasl(client, sasl);
    await openConnection(client, { hostname: str('jitney.example'), ...open });
    const session = await beginSession(client);
    return { duplex, client, session };
  }

  /** A client that has put its token to `$cbs`, on a link that stays. */
  async connectWithToken(): Promise<IdleClient> {
    const connected = await this.connect(ANONYMOUS);
    await putToken(connected.session, { type: 'servicebus.windows.net:sastoken', name: 'sb://jitney/q' });
    return connected;
  }

  /** Lets time go by, in which each client sends heartbeats. */
  async pass(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    // What has been done so far has been done now.
    await turns(5);
    this.#look.at?.(this.#nowMs);
    while (this.#nowMs < endMs) {
      this.#nowMs = Math.min(endMs, this.#nowMs + STEP_MS);
      for (const duplex of this.#clients) if (!duplex.writableEnded) duplex.write(HEARTBEAT);
      await turns(5);
      this.#look.at?.(this.#nowMs);
    }
    await turns(5);
  }
}

/** Until now the server has said neither close nor detach. */
export async function expectAlive({ client, session }: IdleClient): Promise<void> {
  await client.inbox.expectNothing();
  await session.expectNothing(['flow', 'disposition', 'transfer']);
}

export async function expectForced({ client }: IdleClient, reason: string): Promise<void> {
  const close = await client.expect('close');
  expect(conditionOf(close)).toBe('amqp:connection:forced');
  const description = descriptionOf(close);
  expect(description).toMatch(/^The connection was closed by container 'jitney-[0-9a-f]{8}' because /);
  expect(description).toContain(reason);
  expect(description).toMatch(TRACKED);
}

export async function putToken(
  session: FrameChannel,
  properties: Record<string, string>,
  token = 'SharedAccessSignature sr=x',
): Promise<void> {
  await attachSender(session, CBS_HANDLE, '$cbs');
  const request = { operation: 'put-token', ...properties };
  const message = { message_id: 'one', application_properties: request, body: token };
  await sendPieces(session, CBS_HANDLE, { pieces: [rhea.message.encode(message)], deliveryId: 0 });
}

async function speakSasl(client: FrameClient, { mechanism, response }: Sasl): Promise<void> {
  client.writeHeader('sasl');
  await client.expectHeader('sasl');
  await client.expect('sasl-mechanisms');
  client.send('sasl-init', { mechanism: sym(mechanism), initialResponse: bin(Buffer.from(response)) });
  await client.expect('sasl-outcome');
}
