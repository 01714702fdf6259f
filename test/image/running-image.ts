// An emulator that runs in an image: waited for, spoken with as programs do, and stopped as `docker stop` does.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { connect } from 'node:tls';
import { ServiceBusClient } from '@azure/service-bus';
import { type Image, type RunOptions, run } from './image-process.js';

const READY_LINE = 'Emulator Service is Successfully Up!';
const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 2000;

export type Running = AsyncDisposable & {
  /** All that it has printed by now, also as an error. */
  output(): string;
};

/** At its end it is stopped, and must then be gone in time and with 0. */
export async function start(image: Image, options: RunOptions = {}): Promise<Running> {
  const program = run(image, image.config.Entrypoint, options);
  const output = outputOf(program);
  await ready(program, output);
  return {
    output,
    [Symbol.asyncDispose]: async () => {
      const asked = performance.now();
      program.kill('SIGTERM');
      assert.equal(await exitOf(program), 0, output());
      const tookMs = Math.round(performance.now() - asked);
      assert.ok(tookMs <= STOP_LIMIT_MS, `it took ${tookMs} ms to stop`);
    },
  };
}

/** What one says that does not start. */
export async function refusalOf(image: Image, options: RunOptions): Promise<string> {
  const program = run(image, image.config.Entrypoint, options);
  const output = outputOf(program);
  const limit = setTimeout(() => program.kill('SIGKILL'), START_LIMIT_MS);
  assert.equal(await exitOf(program), 1, output());
  clearTimeout(limit);
  return output();
}

/** Of a command of the image. */
export async function exitOf(program: ChildProcess): Promise<unknown> {
  if (program.exitCode !== null) return program.exitCode;
  program.stdout?.resume();
  program.stderr?.resume();
  const [code] = await once(program, 'close');
  return code;
}

function outputOf(program: ChildProcess): () => string {
  let output = '';
  for (const stream of [program.stdout, program.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      program.emit('said');
    });
  }
  return () => output;
}

async function ready(program: ChildProcess, output: () => string): Promise<void> {
  const limit = setTimeout(() => program.kill('SIGKILL'), START_LIMIT_MS);
  let isGone = false;
  program.once('close', () => {
    isGone = true;
    program.emit('said');
  });
  while (!isGone && !output().includes(READY_LINE)) await once(program, 'said');
  clearTimeout(limit);
  assert.ok(output().includes(READY_LINE), `it did not start: ${output()}`);
}

export async function send(port: number, queue: string, body: string): Promise<void> {
  const client = new ServiceBusClient(connectionString(port));
  await client.createSender(queue).sendMessages({ body });
  await client.close();
}

export async function receive(port: number, queue: string): Promise<unknown> {
  const client = new ServiceBusClient(connectionString(port));
  const receiver = client.createReceiver(queue, { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  await client.close();
  return message?.body;
}

function connectionString(port: number): string {
  return `Endpoint=sb://localhost:${port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;`;
}

export type Answer = { readonly status: number | undefined; readonly text: string };

/** `fetch` sends no other Host than that of its address. */
export async function get(path: string, host = 'localhost', port = 5300): Promise<Answer> {
  // Without a token, names such as `ca.pem` are no entities.
  const token = path.startsWith('/$') ? { authorization: 'SharedAccessSignature any' } : {};
  const headers = { host, 'x-identity-header': 'jitney', ...token };
  const asking = request({ host: '127.0.0.1', port, path, headers, agent: false });
  asking.end();
  const [response] = await once(asking, 'response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode, text };
}

/** A client that trusts what the emulator says it may trust. */
export async function greetWithTls(servername = 'localhost'): Promise<string> {
  const { text: ca } = await get('/ca.pem');
  const socket = connect({ host: '127.0.0.1', servername, port: 5671, ca });
  await once(socket, 'secureConnect');
  // A client that leaves without a word looks like one that does not trust it.
  socket.end('AMQP');
  socket.resume();
  await once(socket, 'close');
  return ca;
}
