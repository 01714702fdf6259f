// `jitney exec`: the exit code of its command, and what is left of the emulator and of the command's processes afterwards.

import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { until } from './support/until.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const SHOW = 'echo "at $SERVICEBUS_CONNECTION_STRING"; test -r "$NODE_EXTRA_CA_CERTS" && echo trusted;';

/** Runs a script of the shell with an emulator. */
function exec(script: string, ...options: string[]): RunningProcess {
  return new RunningProcess([PROGRAM, 'exec', ...options, '--', 'sh', '-c', `${SHOW} ${script}`]);
}

/** The end of the process, and whether its emulator still listens. */
async function endOf(program: RunningProcess) {
  const exit = await program.endedWithin(LAST_LIMIT_MS);
  const port = Number(/localhost:(\d+)/.exec(program.stdout)?.[1]);
  const socket = connectSocket(port, '127.0.0.1');
  const isListening = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return { ...exit, isListening };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test
  .skipIf(process.platform === 'win32')
  .concurrent(
    'the command gets the address and the authority, its exit code is handed on, and the log is printed only if that is not 0',
    async () => {
      const [good, bad] = [exec('exit 0', '--queue', 'orders'), exec('exit 3', '--log-level', 'debug')];
      expect(await endOf(good)).toEqual({ code: 0, signal: null, isListening: false });
      expect(good.stdout).toContain('\ntrusted\n');
      expect(good.stderr).toBe('');
      expect(await endOf(bad)).toEqual({ code: 3, signal: null, isListening: false });
      expect(bad.stderr).toMatch(/^The command ended with 3\. The log of its emulator:\n./);
    },
  );

test
  .skipIf(process.platform === 'win32')
  .concurrent('a command that fails is followed by why subscriptions did not take messages', async () => {
    const config = fileURLToPath(new URL('../examples/Config.json', import.meta.url));
    const send = `"${process.execPath}" "${PROGRAM}" send order-events --subject unpaid --body x`;
    const failing = exec(`${send}; exit 3`, '--config', config);
    expect(await endOf(failing)).toMatchObject({ code: 3 });
    expect(failing.stderr).toMatch(
      /\nThe command ended with 3\. The last messages that a subscription did not take,.*\n/,
    );
    expect(failing.stderr).toMatch(/^'order-events' #1 was not taken by 'mail' \(rule .*\)\.$/m);
  });

test
  .skipIf(process.platform === 'win32')
  .concurrent('a warning is printed while the command runs, and not again at its end', async () => {
    const dial = `"${process.execPath}" -e 'require("node:tls").connect({ port: process.argv[1], ca: [] }).on("error", () => {})'`;
    const port = '"$(echo "$SERVICEBUS_CONNECTION_STRING" | tr -dc 0-9)"';
    const hanging = exec(`trap 'exit 3' TERM; ${dial} ${port}; while :; do sleep 0.05; done`);
    const warning = '⚠ A client disconnected as soon as it had seen our certificate';
    await hanging.printed(warning, LAST_LIMIT_MS);
    hanging.signal('SIGTERM');
    expect(await endOf(hanging)).toMatchObject({ code: 3 });
    expect(hanging.stderr.split(warning)).toHaveLength(2);
  });

test
  .skipIf(process.platform === 'win32')
  .concurrent('Ctrl-C is handed on; a command that goes on is sent SIGTERM, then SIGKILL', async () => {
    const script = "trap 'echo int' INT; trap 'echo term' TERM; echo waits; while :; do sleep 0.05; done";
    const hanging = exec(script, '--grace', '0.2');
    await hanging.printed('waits', LAST_LIMIT_MS);
    hanging.signal('SIGINT');
    expect(await endOf(hanging)).toEqual({ code: 137, signal: null, isListening: false });
    expect(hanging.stdout).toMatch(/waits\nint\nterm\n$/);

    const ending = exec("trap 'exit 7' TERM; echo waits; while :; do sleep 0.05; done");
    await ending.printed('waits', LAST_LIMIT_MS);
    ending.signal('SIGTERM');
    expect(await endOf(ending)).toMatchObject({ code: 7, isListening: false });
  });

test
  .skipIf(process.platform === 'win32')
  .concurrent('when `jitney stop` ends the emulator, the command ends as with Ctrl-C', async () => {
    const running = exec("trap 'exit 9' INT; echo waits; while :; do sleep 0.05; done");
    await running.printed('waits', LAST_LIMIT_MS);
    const port = /localhost:(\d+)/.exec(running.stdout)?.[1] ?? '';
    const stop = new RunningProcess([PROGRAM, 'stop', '--port', port]);
    expect(await stop.endedWithin(LAST_LIMIT_MS)).toMatchObject({ code: 0 });
    expect(await endOf(running)).toMatchObject({ code: 9, isListening: false });
  });

test
  .skipIf(process.platform === 'win32')
  .concurrent('what a command leaves running ends with it, also when the command is killed', async () => {
    const killed = exec('sleep 1000 & echo "left $!"; kill -9 $$');
    expect(await endOf(killed)).toMatchObject({ code: 137, isListening: false });
    const left = Number(/left (\d+)/.exec(killed.stdout)?.[1]);
    await until('what was left running has ended', () => !isThere(left));
  });
