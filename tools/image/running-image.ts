// An emulator that runs in an image: the checks wait for it, connect to it as programs do, and stop it as `docker stop` does.

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
const EXIT_LIMIT_MS = 10_000;

export type Running = AsyncDisposable & {
  /** Everything it has printed so far, on both streams. */
  output(): string;
};

/** Disposal stops it, and fails unless it exits in time and with 0. */
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

/** The output of a start that is refused. */
export async function refusalOf(image: Image, options: RunOptions): Promise<string> {
  const program = run(image, image.config.Entrypoint, options);
  const output = outputOf(program);
  assert.equal(await exitOf(program), 1, output());
  return output();
}

/** The exit code of a program, or the signal that ended it: SIGKILL where it took longer than the limit. */
export async function exitOf(program: ChildProcess, limitMs = EXIT_LIMIT_MS): Promise<unknown> {
  if (program.exitCode === null && program.signalCode === null) {
    const limit = setTimeout(() => program.kill('SIGKILL'), limitMs);
    program.stdout?.resume();
    program.stderr?.resume();
    await once(program, 'close');
    clearTimeout(limit);
  }
  return program.exitCode ?? program.signalCode;
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

/** Speaks TLS as a client that trusts the emulator's own authority, which is the result. */
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
