// Traces and metrics with the oldest OpenTelemetry that the package allows beside it, and with the newest.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Collector } from '../support/collector.js';
import { RunningProcess } from '../support/running-process.js';
import { nodeFromNpm } from './node-from-npm.js';
import { run, type Tally } from './steps.js';

const READY_MS = 30_000;
const VERSIONS = [
  { name: 'the oldest OpenTelemetry', sdk: '0.209.0', api: '1.9.0', node: '20.19.0' },
  { name: 'the newest OpenTelemetry', sdk: 'latest', api: 'latest', node: '24' },
] as const;

export async function checkTelemetry(tarball: string, directory: string, tally: Tally): Promise<void> {
  for (const { name, sdk, api, node: range } of VERSIONS) {
    const node = await nodeFromNpm(range, directory);
    if (typeof node === 'string') {
      tally.leftOut(name, node);
      continue;
    }
    const folder = join(directory, name.replaceAll(' ', '-'));
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const packages = [tarball, `@opentelemetry/sdk-node@${sdk}`, `@opentelemetry/api@${api}`];
    const installed = await run('npm', ['install', ...packages], folder, node.env);
    tally.add(`npm install with ${name}`, installed.isGood, installed.text);
    if (!installed.isGood) continue;
    const problem = await problemOfTelemetry(folder, node.env);
    tally.add(`${name} sends traces and metrics, Node ${node.version}`, problem === undefined, problem);
  }
}

/** Starts Jitney with a collector, sends a message, and looks what the collector has after the stop. */
async function problemOfTelemetry(folder: string, env: Record<string, string>): Promise<string | undefined> {
  await using collector = await Collector.start();
  const words = ['jitney', '--memory', '--port', '0', '--http-port', 'off', '--queue', 'orders'];
  const options = { command: 'npx', workingDirectory: folder, env: { ...env, ...collector.variables() } };
  const started = new RunningProcess(words, options);
  try {
    await started.printed('Successfully Up!', READY_MS);
    const [, port] = /sb:\/\/localhost:(\d+)/.exec(started.output) ?? [];
    const headers = { authorization: 'SharedAccessSignature any' };
    await fetch(`http://localhost:${port}/orders/messages`, { method: 'POST', headers, body: 'x' });
    started.signal('SIGTERM');
    await started.exited;
  } catch (error) {
    started.signal('SIGKILL');
    return String(error);
  }
  const hasAll = collector.spans.some(({ name }) => name === 'accept orders') && collector.metrics.size > 0;
  const seen = `${collector.spans.map(({ name }) => name)}; ${[...collector.metrics.keys()]}`;
  return hasAll ? undefined : `the collector has ${seen}\n${started.output}`;
}
