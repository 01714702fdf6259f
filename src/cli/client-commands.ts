// The commands that tell programs how to reach an emulator, as commander sees them: `certs` and `env`.

import { type Command, Option } from 'commander';
import type { Flags } from '../config/environment.js';
import { ENV_FORMATS, type EnvFormat } from './env-format.js';

export type ClientCommands = {
  /** Each resolves with the exit code. */
  readonly certs: (flags: Flags, isJson: boolean) => Promise<number>;
  readonly env: (flags: Flags, format: EnvFormat) => Promise<number>;
};

const CERTS_EXAMPLES = `
It takes the options of start, and asks the emulator that runs with them. Where none does, it tells what
a start would use, and makes the certificate authority if there is none yet.

Examples:
  jitney certs
  jitney certs --data ./bus --json
`;

const ENV_EXAMPLES = `
It takes the options of start, and tells of the emulator that they start, or have started in any folder.

Examples:
  jitney env > .env
  eval "$(jitney env --format shell)"
  jitney env --format github >> "$GITHUB_ENV"
`;

/** `done` hears the exit code; `check` refuses words behind a command. */
export function describeClientCommands(
  program: Command,
  commands: ClientCommands,
  done: (exitCode: number) => void,
  check: (command: Command) => void,
): void {
  program
    .command('certs')
    .description('print the certificate that programs must trust, and how each language is told')
    .option('--json', 'for programs')
    .addHelpText('after', CERTS_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      check(command);
      const { json = false, ...flags } = command.optsWithGlobals<Flags & { readonly json?: boolean }>();
      done(await commands.certs(flags, json));
    });
  program
    .command('env')
    .description('print the variables that a program needs to find and trust it')
    .addOption(
      new Option(`--format <${ENV_FORMATS.join('|')}>`, 'how they are written')
        .choices(ENV_FORMATS)
        .default('dotenv'),
    )
    .addHelpText('after', ENV_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      check(command);
      const { format, ...flags } = command.optsWithGlobals<Flags & { readonly format: EnvFormat }>();
      done(await commands.env(flags, format));
    });
}
