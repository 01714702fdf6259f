// A command line for messages in this process: its words are parsed as a user types them, and it talks to a real port.

import { askRunning } from '../../../src/cli/control/running-authority.js';
import { type EntityContext, runEntityCommand } from '../../../src/cli/entities/run-entity-command.js';
import { type MessageContext, runMessageCommand } from '../../../src/cli/messages/run-message-command.js';
import { runProgram } from '../../../src/cli/program.js';

export type CommandResult = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export type CommandOptions = Partial<Omit<MessageContext & EntityContext, 'stderr'>> & {
  readonly input?: string;
};

/** Runs `jitney` with these words. Without an environment, nothing but the words tells where to go. */
export async function jitney(
  words: readonly string[],
  { input = '', ...given }: CommandOptions = {},
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const stdout = (text: string) => {
    written.stdout += text;
  };
  const stderr = (text: string) => {
    written.stderr += text;
  };
  const context: MessageContext & EntityContext = {
    environment: {},
    print: async (text) => {
      stdout(text);
      return true;
    },
    async *openInput() {
      yield Buffer.from(input);
    },
    interrupted: new AbortController().signal,
    stderr,
    askRunning,
    now: Date.now,
    confirm: undefined,
    ...given,
  };
  const other = () => Promise.reject(new Error('another command runs'));
  const exitCode = await runProgram(words, {
    version: '0.0.0',
    stdout,
    stderr,
    start: other,
    exec: other,
    config: other,
    certs: other,
    env: other,
    validate: other,
    check: other,
    healthcheck: other,
    control: other,
    copy: other,
    messages: (request) => runMessageCommand(request, context),
    definitions: other,
    entities: (request) => runEntityCommand(request, context),
  });
  return { exitCode, ...written };
}

/** The lines of JSON that a command has printed. */
export function objectsIn({ stdout }: CommandResult): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
