// A gateway on a real port with every way in: AMQP answers with what it heard, HTTP with the path, TLS with a certificate of its own.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type ConnectionOptions,
  connect as connectTls,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import { type Admission, Gateway } from '../../src/gateway/gateway.js';
import { withGatewayAnswers } from '../../src/gateway/gateway-answers.js';
import { type HttpLimits, HttpServer } from '../../src/gateway/http-server.js';
import { OriginCheck, type OriginCheckOptions } from '../../src/gateway/origin-check.js';
import { AmqpWebSocketServer } from '../../src/gateway/websocket-server.js';
import { type Certificates, openCertificates } from '../../src/security/certificates.js';

export type GatewayOptions = {
  readonly amqp?: (stream: Duplex) => void;
  readonly certificates?: Certificates;
  readonly handshakeMs?: number;
  readonly host?: string;
  readonly limits?: Partial<HttpLimits>;
  readonly originCheck?: OriginCheckOptions;
  readonly admission?: Admission;
};

export class GatewayUnderTest {
  readonly port: number;
  /** What a client must trust. */
  readonly ca: string;
  readonly hints: string[];
  readonly #parts: readonly { close(): unknown }[];
  readonly #clients: Duplex[] = [];

  private constructor(port: number, ca: string, hints: string[], parts: readonly { close(): unknown }[]) {
    this.port = port;
    this.ca = ca;
    this.hints = hints;
    this.#parts = parts;
  }

  static async open(options: GatewayOptions = {}): Promise<GatewayUnderTest> {
    const { amqp = echo, host = '127.0.0.1', handshakeMs, limits } = options;
    const certificates = options.certificates ?? (await openCertificates({}));
    const hints: string[] = [];
    const originCheck = new OriginCheck(options.originCheck);
    const webSockets = new AmqpWebSocketServer(amqp, originCheck);
    const http = new HttpServer(
      withGatewayAnswers(answerWithPath, { originCheck, certificates }),
      limits,
      (...asked) => webSockets.upgrade(...asked),
    );
    const gateway = new Gateway(
      { amqp, http: (socket) => http.take(socket) },
      { certificates, onHint: (hint) => hints.push(hint), ...(handshakeMs && { handshakeMs }) },
      options.admission,
    );
    const port = await gateway.open({ host, port: 0 });
    const ca = await certificates.authority().catch(() => undefined);
    return new GatewayUnderTest(port, ca ?? '', hints, [http, gateway]);
  }

  /** A client that speaks whatever it likes. */
  async plain(host = '127.0.0.1'): Promise<Socket> {
    const client = connect({ host, port: this.port, noDelay: true }).on('error', () => {});
    this.#clients.push(client);
    await once(client, 'connect');
    return client;
  }

  /** A client whose handshake is over; it trusts the gateway. */
  async secure(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const client = connectTls({ host: '127.0.0.1', port: this.port, ca: this.ca, ...options });
    this.#clients.push(client);
    return new Promise((resolve, reject) => {
      client.once('secureConnect', () => resolve(client));
      client.on('error', reject);
    });
  }

  /** What every client gets that says `AMQP`, for a test that others are still served. */
  async isServing(): Promise<boolean> {
    const client = await this.plain();
    client.write('AMQP');
    const [answer] = await once(client, 'data');
    client.destroy();
    return String(answer) === 'amqp AMQP';
  }

  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.destroy();
    await this.stop();
  }

  /** As an emulator that is stopped does; its clients are still there. */
  async stop(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.close()));
  }
}

/** Whether a certificate is for a name, as OpenSSL says. Node's own check takes no name with a port any more, and in 22.23 no `::1`. */
export function openSslCheck(name: string, { raw }: PeerCertificate): Error | undefined {
  const certificate = new X509Certificate(raw);
  const match = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name);
  return match === undefined ? new Error(`The certificate is not for ${name}`) : undefined;
}

async function answerWithPath(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await request.setEncoding('utf8').toArray()).join('');
  response.end(`http ${request.url} ${body}`);
}

/** Says what it has heard. */
export function echo(stream: Duplex): void {
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => stream.write(`amqp ${chunk.toString('latin1')}`));
}

/** Everything that is said until the end. */
export async function saidBy(client: Duplex): Promise<string> {
  const chunks: string[] = [];
  client.setEncoding('latin1').on('data', (text: string) => chunks.push(text));
  if (!client.closed) await new Promise((resolve) => client.once('close', resolve));
  return chunks.join('');
}

/** The next thing that is said. */
export async function nextOf(client: Duplex): Promise<string> {
  const [chunk] = await once(client, 'data');
  return String(chunk);
}
