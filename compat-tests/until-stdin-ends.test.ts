// `--until-stdin-ends`: started by a suite of tests, it ends with it, however the suite ends.

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const START = [PROGRAM, '--memory', '--port', '0', '--http-port', 'off', '--until-stdin-ends'];
const STARTED = 'Emulator Service is Successfully Up!';

/** A program that starts Jitney with these streams, prints the code with which that ends, and otherwise does nothing. */
function starter(stdin: string, andThen = ''): RunningProcess {
  const script = `const { spawn } = require('node:child_process');
    const jitney = spawn(process.execPath, ${JSON.stringify(START)}, { stdio: ['${stdin}', 'pipe', 'inherit'] });
    jitney.on('exit', (code) => console.log('code ' + code));
    jitney.stdout.on('data', (text) => {
      process.stdout.write(text);
      if (String(text).includes('${STARTED}')) { ${andThen} }
    });`;
  return new RunningProcess(['-e', script]);
}

test.concurrent('when its starter is killed, it ends', async () => {
  const program = starter('pipe', "console.log('pid ' + jitney.pid);");
  await program.printed('pid ', LAST_LIMIT_MS);
  const pid = Number(/pid (\d+)/.exec(program.stdout)?.[1]);
  program.signal('SIGKILL');
  // Standard error is Jitney's, too, so the output ends only when both have ended.
  const isOver = await Promise.race([program.exited.then(() => true), delay(LAST_LIMIT_MS / 2)]);
  if (!isOver) process.kill(pid, 'SIGKILL');
  expect([isOver, program.stderr]).toEqual([true, '']);
});

test.concurrent('it ends with code 0 and without a word when its starter closes the pipe', async () => {
  const program = starter('pipe', 'jitney.stdin.end();');
  expect(await program.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 0, signal: null });
  expect(program.stdout).toMatch(/code 0\n$/);
  expect(program.stderr).toBe('');
});

test.concurrent('standard input that is no pipe is refused, and so is exec, which hands it on', async () => {
  const program = starter('ignore');
  await program.endedWithin(LAST_LIMIT_MS);
  expect(program.output).toContain('--until-stdin-ends needs a pipe as standard input, and it is none');
  expect(program.output).toContain('code 2');

  const exec = new RunningProcess([PROGRAM, 'exec', '--until-stdin-ends', '--', 'true']);
  expect(await exec.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 2, signal: null });
  expect(exec.stderr).toContain('--until-stdin-ends is not for exec');
});
