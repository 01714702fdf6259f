// What action.yml runs after the install: starts the emulator in the background with the options it is given, waits until it is ready, and
// sets the variables of `jitney env` for the next steps.
// @ts-check

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY = 'Emulator Service is Successfully Up!';
const LIMIT_MS = 60_000;
const POLL_MS = 50;

const options = process.argv.slice(2);
const folder = join(required('RUNNER_TEMP'), 'jitney');
const program = join(folder, 'node_modules/jitney/dist/cli/main.js');
const log = join(folder, 'log.txt');
// An empty input is one that was not given.
const given = Object.entries(process.env).filter(([name, value]) => !name.startsWith('JITNEY_') || value);
// One that npm has started ends with npm (npm_lifecycle_event says so); this one outlives whoever started it.
const env = { ...Object.fromEntries(given), JITNEY_MEMORY: '1', npm_lifecycle_event: undefined };

const output = openSync(log, 'a');
const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', output, output]);
const child = spawn(process.execPath, [program, ...options], {
  env,
  stdio,
  detached: true,
  windowsHide: true,
});
let hasEnded = false;
child.once('exit', () => {
  hasEnded = true;
});
const deadline = Date.now() + LIMIT_MS;
while (!hasEnded && Date.now() < deadline && !readFileSync(log, 'utf8').includes(READY)) await sleep(POLL_MS);
if (hasEnded || Date.now() >= deadline) {
  child.kill();
  fail(`Jitney ${hasEnded ? 'has ended' : 'was not ready within 60 s'}:\n${readFileSync(log, 'utf8')}`);
}

const words = [program, 'env', ...options, '--format', 'github'];
const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
if (status !== 0) {
  child.kill();
  fail(stderr);
}
const connectionString = /^SERVICEBUS_CONNECTION_STRING=(.*)$/m.exec(stdout)?.[1] ?? '';
appendFileSync(required('GITHUB_ENV'), stdout);
appendFileSync(required('GITHUB_PATH'), `${join(folder, 'node_modules/.bin')}\n`);
appendFileSync(required('GITHUB_OUTPUT'), `connection-string=${connectionString}\nlog=${log}\n`);
console.log(readFileSync(log, 'utf8'));
child.unref();

/** @param {string} name */
function required(name) {
  const value = process.env[name];
  if (value === undefined) fail(`${name} is not set: this program is for GitHub Actions.`);
  return String(value);
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exit(1);
}
