// The steps of action.yml, run as GitHub runs them, in an empty folder: an emulator runs afterwards, and the next step finds it.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from './support/documentation.js';
import { RunningProcess } from './support/running-process.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const LIMIT_MS = 120_000;
const ACTION = parse(await readFile(join(PROJECT, 'action.yml'), 'utf8'));

type Step = {
  readonly id?: string;
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
};
type Job = { readonly folder: string; readonly inputs: Readonly<Record<string, string>> };

/** On Windows `bash` may be that of another system; there the workflow `test` uses the action itself. */
const onPosix = test.skipIf(process.platform === 'win32');

onPosix(
  'the action starts an emulator with its inputs, and sets its variables, its outputs and its path',
  async () => {
    await using work = await temporaryDirectory();
    const port = 20_000 + (process.pid % 10_000);
    const inputs = {
      package: PROJECT,
      queues: 'orders',
      namespaces: 'auto',
      arguments: `--port ${port} --http-port off --topic 'events/audit?maxDeliveryCount=3'`,
    };
    const ended = await runAction({ folder: work.path, inputs });
    expect(ended.exit, ended.output).toEqual({ code: 0, signal: null });
    const [env, outputs, path] = await Promise.all(
      ['env', 'output', 'path'].map((name) => readFile(join(work.path, name), 'utf8')),
    );
    const connectionString = /^SERVICEBUS_CONNECTION_STRING=(.*)$/m.exec(env ?? '')?.[1] ?? '';
    expect(connectionString).toContain(`Endpoint=sb://localhost:${port};`);
    expect(outputs).toBe(`connection-string=${connectionString}\nlog=${logOf(work.path)}\n`);
    expect(path).toBe(`${join(work.path, 'jitney/node_modules/.bin')}\n`);

    const next = { SERVICEBUS_CONNECTION_STRING: connectionString };
    const listed = await jitney(work.path, ['ls', '--json'], next);
    const stopped = await jitney(work.path, ['stop'], next);
    expect(listed.stdout, listed.output).toContain('"events/Subscriptions/audit"');
    expect(listed.stdout).toContain('"orders"');
    expect(stopped.stdout).toContain('Stopped the emulator');
  },
);

onPosix('the action fails with the log when the emulator does not start', async () => {
  await using work = await temporaryDirectory();
  const inputs = { package: PROJECT, arguments: "--port 0 --queue 'orders?lockDuration=never'" };
  const ended = await runAction({ folder: work.path, inputs });
  expect(ended.exit).toEqual({ code: 1, signal: null });
  expect(ended.output).toContain('Jitney has ended:\n');
  expect(ended.output).toContain('JIT2003');
});

/** Runs one step after the other until one fails. */
async function runAction({ folder, inputs }: Job): Promise<{ exit: unknown; output: string }> {
  await mkdir(join(folder, 'workspace'));
  for (const name of ['env', 'output', 'path']) await writeFile(join(folder, name), '');
  let last: { exit: unknown; output: string } = { exit: undefined, output: 'there are no steps' };
  for (const step of ACTION.runs.steps as Step[]) {
    const environment = Object.entries(step.env).map(([name, value]) => [name, filledIn(value, inputs)]);
    const program = new RunningProcess(['-eo', 'pipefail', '-c', step.run], {
      command: step.shell,
      workingDirectory: join(folder, 'workspace'),
      env: {
        npm_config_offline: 'true',
        RUNNER_TEMP: folder,
        GITHUB_ACTION_PATH: PROJECT,
        GITHUB_ENV: join(folder, 'env'),
        GITHUB_OUTPUT: join(folder, 'output'),
        GITHUB_PATH: join(folder, 'path'),
        ...Object.fromEntries(environment),
      },
    });
    const exit = await program.endedWithin(LIMIT_MS);
    last = { exit, output: program.output };
    if (exit?.code !== 0) break;
  }
  return last;
}

function filledIn(value: unknown, inputs: Job['inputs']): string {
  return String(value).replace(
    /\$\{\{ inputs\.([\w-]+) \}\}/g,
    (_, name) => inputs[name] ?? ACTION.inputs[name].default ?? '',
  );
}

function logOf(folder: string): string {
  return join(folder, 'jitney/log.txt');
}

async function jitney(folder: string, words: readonly string[], env: Record<string, string>) {
  const program = join(folder, 'jitney/node_modules/jitney/dist/cli/main.js');
  const running = new RunningProcess([program, ...words], { env });
  await running.endedWithin(LIMIT_MS);
  return running;
}
