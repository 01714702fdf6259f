// Plays Docker's HTTP interface for Testcontainers, as far as one container of Jitney needs it: its container is a process of the built product.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import { Jitney } from '../support/jitney.js';

const CONTAINER_PORT = '5672/tcp';
const CONFIG_FILE = 'ServiceBus_Emulator/ConfigFiles/Config.json';
const ID = 'a'.repeat(64);
const TAR_BLOCK_BYTES = 512;

type Answer = { readonly status?: number; readonly body?: unknown };

type Creation = { readonly Env?: readonly string[]; readonly Image?: string };

export class DockerEngine implements AsyncDisposable {
  readonly #server: Server;
  #created: Creation = {};
  #config: string | undefined;
  #jitney: Jitney | undefined;
  /** Requests that it does not know: a newer Testcontainers wants more. */
  readonly unknown: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(): Promise<DockerEngine> {
    const engine = new DockerEngine();
    await once(engine.#server.listen(0, '127.0.0.1'), 'listening');
    return engine;
  }

  get address(): string {
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isContainerRunning(): boolean {
    return this.#jitney !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', 'http://docker');
    const call = `${request.method} ${pathname.replace(/^\/v[\d.]+(?=\/)/, '').replace(ID, '{id}')}`;
    if (call === 'GET /containers/{id}/logs') return void response.writeHead(200).flushHeaders();
    if (call === 'GET /_ping') return void response.end('OK');
    const { status = 200, body } = await this.#answer(call, request);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  }

  async #answer(call: string, request: IncomingMessage): Promise<Answer> {
    switch (call) {
      case 'GET /version':
        return { body: { ApiVersion: '1.44', Version: '25.0.0' } };
      case 'GET /info':
        return { body: { OperatingSystem: 'a stand-in', OSType: 'linux', Architecture: 'x86_64' } };
      case 'GET /images/jitney/json':
      case 'GET /images/jitney:latest/json':
        return { body: { Id: 'sha256:0', Config: {} } };
      case 'GET /containers/json':
        return { body: [] };
      case 'POST /containers/create':
        this.#created = (await json(request)) as Creation;
        return { status: 201, body: { Id: ID, Warnings: [] } };
      case 'PUT /containers/{id}/archive':
        this.#config = fileOfTar(await buffer(request), CONFIG_FILE);
        return {};
      case 'POST /containers/{id}/start':
        await this.#start();
        return { status: 204 };
      case 'GET /containers/{id}/json':
        return { body: this.#description() };
      case 'POST /containers/{id}/stop':
        await this.#stop();
        return { status: 204 };
      case 'DELETE /containers/{id}':
        await this.#stop();
        return { status: 204 };
      default:
        this.unknown.push(call);
        return { status: 404, body: { message: `the stand-in does not know ${call}` } };
    }
  }

  async #start(): Promise<void> {
    const config = this.#config === undefined ? [] : [`JITNEY_CONFIG_JSON=${this.#config}`];
    this.#jitney = await Jitney.start({ under: ['env', ...(this.#created.Env ?? []), ...config] });
  }

  async #stop(): Promise<void> {
    const jitney = this.#jitney;
    this.#jitney = undefined;
    await jitney?.stop();
  }

  #description() {
    const port = this.#jitney?.address.port;
    const bindings = port === undefined ? [] : [{ HostIp: '0.0.0.0', HostPort: String(port) }];
    return {
      Id: ID,
      Name: '/jitney',
      Config: { Hostname: 'jitney', Labels: {}, Image: this.#created.Image },
      State: { Status: 'running', Running: true, StartedAt: new Date().toISOString(), FinishedAt: '' },
      HostConfig: { PortBindings: { [CONTAINER_PORT]: bindings } },
      NetworkSettings: { Ports: { [CONTAINER_PORT]: bindings }, Networks: {} },
    };
  }
}

/** The text of one file in a tar archive; undefined if it is not there. */
function fileOfTar(archive: Buffer, name: string): string | undefined {
  const field = (at: number, length: number) =>
    archive.toString('utf8', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; at + TAR_BLOCK_BYTES <= archive.length; ) {
    const bytes = Number.parseInt(field(at + 124, 12), 8) || 0;
    const begin = at + TAR_BLOCK_BYTES;
    if (field(at, 100).replace(/^\//, '') === name) return archive.toString('utf8', begin, begin + bytes);
    at = begin + Math.ceil(bytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
  }
  return undefined;
}
