// The commands that ask a running emulator, run in this process from their words on, and a server that stands in for an emulator.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isManaged } from '../../../src/cli/control/control-commands.js';
import { runControl } from '../../../src/cli/control/run-control.js';
import { type AskRunning, askRunning as askEmulator } from '../../../src/cli/control/running-authority.js';
import { runManage } from '../../../src/cli/manage/run-manage.js';
import { runProgram } from '../../../src/cli/program.js';
import type { Environment } from '../../../src/config/environment.js';

type ProgramResult = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** A command that goes on until it is ended. */
export type RunningCommand = {
  readonly result: Promise<ProgramResult>;
  /** Resolves when the text has been printed, on stdout or stderr. */
  printed(text: string): Promise<void>;
  end(exitCode: number): void;
};

const unused = () => Promise.reject(new Error('another command was run'));
const OTHERS = {
  start: unused,
  exec: unused,
  config: unused,
  certs: unused,
  env: unused,
  validate: unused,
  check: unused,
  healthcheck: unused,
  version: '1.2.3',
  messages: unused,
  definitions: unused,
  copy: unused,
  entities: unused,
};

export function startCommand(
  words: readonly string[],
  environment: Environment = {},
  {
    askRunning = askEmulator,
    answer,
    interrupted = new AbortController().signal,
  }: {
    readonly askRunning?: AskRunning;
    /** The line that somebody types at a question; undefined: there is no terminal. */
    readonly answer?: string;
    /** Aborted as by Ctrl-C. */
    readonly interrupted?: AbortSignal;
  } = {},
): RunningCommand {
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const writeTo = (stream: keyof typeof output) => (text: string) => {
    output[stream] += text;
    for (const look of waiting) look();
  };
  const streams = { stdout: writeTo('stdout'), stderr: writeTo('stderr') };
  let end = (_exitCode: number) => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const context = {
    ...streams,
    environment,
    askRunning,
    isTerminal: answer !== undefined,
    readAnswer: async () => answer ?? '',
    whenEnded: () => ended,
    // A command that tries again does so at once.
    sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
    now: Date.now,
    interrupted,
  };
  const control: Parameters<typeof runProgram>[1]['control'] = (command, flags) => {
    if (command.name === 'mcp') return unused();
    return isManaged(command) ? runManage(command, flags, context) : runControl(command, flags, context);
  };
  const running = runProgram(words, { ...OTHERS, ...streams, control });
  return {
    result: running.then((exitCode) => ({ exitCode, ...output })),
    printed: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!`${output.stdout}${output.stderr}`.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    end,
  };
}

export function runCommand(...given: Parameters<typeof startCommand>): Promise<ProgramResult> {
  return startCommand(...given).result;
}

type SeenRequest = { readonly call: string; readonly lastEventId: string | undefined };

/**
 * A server for what no emulator can be made to do, such as breaking off an event in the middle. It answers each call, such as
 * `GET /$jitney/v1/events`, with its text and these headers; anything else with 404 and no JSON.
 */
export async function openFakeEmulator(
  answers: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const call = `${request.method} ${decodeURIComponent(request.url ?? '')}`;
    seen.push({ call, lastEventId: request.headers['last-event-id']?.toString() });
    const answer = answers[call];
    response.writeHead(answer === undefined ? 404 : 200, headers).end(answer ?? '<html>nothing here</html>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { port: String(port), seen, close };
}
