// Runs a program to its end, or ends it with all that it has started when it takes too long.

import { spawn, spawnSync } from 'node:child_process';

export type ProgramRun = { readonly hasTimedOut: boolean; readonly output: string };

export function runProgram(
  command: readonly string[],
  { directory, timeoutMs }: { readonly directory: string; readonly timeoutMs: number },
): Promise<ProgramRun> {
  const [program = '', ...args] = command;
  // In a process group of its own: a test that loops for ever sits in a process of the program's.
  const child = spawn(program, args, { cwd: directory, detached: true, env: plainEnvironment() });
  let output = '';
  let hasTimedOut = false;
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const kill = () => killGroup(child.pid);
  const timer = setTimeout(() => {
    hasTimedOut = true;
    kill();
  }, timeoutMs);
  process.once('exit', kill);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      process.removeListener('exit', kill);
      resolve({ hasTimedOut, output });
    });
  });
}

/** Without what a test run tells the processes it starts, for one of them may be us. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _, ...environment } = process.env;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('VITEST')));
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  // Windows has no groups: the processes that this one has started are ended with it.
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
