// Checks a built image in a network of its own: what it says of itself, its health, the SDK on its ports, its data and its end.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { connect } from 'node:tls';
import { ServiceBusClient } from '@azure/service-bus';
import { type Image, readImage, run } from './image-process.js';

const READY_LINE = 'Emulator Service is Successfully Up!';
const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 2000;
const PORTS = [5672, 5300, 5671];
/** Of AMQP in clear: 5671 is for those who speak TLS. */
const CLEAR_PORTS = [5672, 5300];
const KEPT = ['JITNEY_DATA=/data', 'JITNEY_QUEUES=orders'];

type Check = { readonly name: string; readonly run: (image: Image) => Promise<void> | void };

const CHECKS: readonly Check[] = [
  {
    name: 'it says which ports it has, and listens on every address',
    run: ({ config }) => {
      assert.deepEqual(Object.keys(config.ExposedPorts).sort(), PORTS.map((port) => `${port}/tcp`).sort());
      assert.ok(config.Env.includes('JITNEY_HOST=0.0.0.0'));
    },
  },
  {
    name: 'it is not run by root, and makes no volume unasked',
    run: ({ config }) => {
      assert.equal(config.User, 'node');
      assert.deepEqual(config.Volumes ?? {}, {});
    },
  },
  {
    name: 'the config file of the official emulator can be put where that has it',
    run: ({ root }) => {
      const words = ['--userspec=1000:1000', root, 'test', '-r', '/ServiceBus_Emulator/ConfigFiles'];
      execFileSync('chroot', words);
    },
  },
  { name: 'its health command fails before it runs, and tells that it is well when it does', run: health },
  { name: 'the SDK sends and receives on each port', run: sdk },
  { name: 'AMQP over TLS has its port, and the certificate to trust lies in /data', run: tls },
  { name: 'what is in /data outlives a restart', run: restart },
];

async function health(image: Image): Promise<void> {
  const command = image.config.Healthcheck.Test.slice(1);
  assert.equal(await exitOf(run(image, command)), 1);
  await using _ = await start(image);
  assert.equal(await exitOf(run(image, command)), 0);
}

async function sdk(image: Image): Promise<void> {
  await using _ = await start(image);
  for (const port of CLEAR_PORTS) {
    await send(port, 'queue.1', `by ${port}`);
    assert.equal(await receive(port, 'queue.1'), `by ${port}`);
  }
}

async function tls(image: Image): Promise<void> {
  await using _ = await start(image);
  const response = await fetch('http://localhost:5300/ca.pem');
  const ca = await response.text();
  assert.equal(readFileSync(join(image.root, 'data/certificates/ca.pem'), 'utf8'), ca);
  const socket = connect({ host: 'localhost', servername: 'localhost', port: 5671, ca });
  await once(socket, 'secureConnect');
  socket.destroy();
}

async function restart(image: Image): Promise<void> {
  {
    await using _ = await start(image, KEPT);
    await send(5672, 'orders', 'kept');
  }
  await using _ = await start(image, KEPT);
  assert.equal(await receive(5672, 'orders'), 'kept');
}

/** At its end it is stopped as `docker stop` does, and must then be gone in time and with 0. */
async function start(image: Image, variables: readonly string[] = []): Promise<AsyncDisposable> {
  const program = run(image, image.config.Entrypoint, variables);
  await ready(program);
  return {
    [Symbol.asyncDispose]: async () => {
      const asked = performance.now();
      program.kill('SIGTERM');
      assert.equal(await exitOf(program), 0);
      const tookMs = Math.round(performance.now() - asked);
      assert.ok(tookMs <= STOP_LIMIT_MS, `it took ${tookMs} ms to stop`);
    },
  };
}

async function ready(program: ChildProcess): Promise<void> {
  const limit = setTimeout(() => program.kill('SIGKILL'), START_LIMIT_MS);
  let output = '';
  for await (const text of program.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += text;
    if (output.includes(READY_LINE)) break;
  }
  clearTimeout(limit);
  assert.ok(output.includes(READY_LINE), `it did not start: ${output}`);
  program.stdout?.resume();
}

async function exitOf(program: ChildProcess): Promise<unknown> {
  program.stdout?.resume();
  return program.exitCode ?? (await once(program, 'exit'))[0];
}

async function send(port: number, queue: string, body: string): Promise<void> {
  const client = new ServiceBusClient(connectionString(port));
  await client.createSender(queue).sendMessages({ body });
  await client.close();
}

async function receive(port: number, queue: string): Promise<unknown> {
  const client = new ServiceBusClient(connectionString(port));
  const receiver = client.createReceiver(queue, { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  await client.close();
  return message?.body;
}

function connectionString(port: number): string {
  return `Endpoint=sb://localhost:${port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;`;
}

const [root = '', inspectFile = ''] = process.argv.slice(2);
const image = readImage(root, inspectFile);
for (const check of CHECKS) {
  await check.run(image);
  process.stdout.write(`✔ ${check.name}\n`);
}
process.stdout.write('The image is good.\n');
