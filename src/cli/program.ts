// The commands of the command line as commander sees them, with their help.

import { Command, CommanderError, Option } from 'commander';
import type { Flags } from '../config/environment.js';
import { OPTIONS } from '../config/options/option-table.js';
import { suggestion } from '../description/suggestion.js';
import { CONTROL_WORDS, type ControlCommand, describeControlCommands } from './control/control-commands.js';
import type { AddressFlags } from './control/emulator-address.js';
import type { WaitFlags } from './control/healthcheck-command.js';
import { type CopyRequest, describeCopy } from './copy/copy-commands.js';
import { type DefinitionRequest, describeDefinitionCommands } from './definitions/definition-commands.js';
import { describeEntityCommands, type EntityRequest } from './entities/entity-commands.js';
import { describeExec, splitAtCommand } from './exec/describe-exec.js';
import type { ExecFlags } from './exec/exec-command.js';
import type { CheckFlags } from './files/check-command.js';
import { CREDENTIALS, type Credential } from './files/client-variables.js';
import { ENV_FORMATS, type EnvFormat } from './files/env-format.js';
import { describeMessageCommands, type MessageRequest } from './messages/message-commands.js';
import { HELP_INDENT, jsonReport, seeHelp } from './output/error-report.js';
import type { Write } from './output/output.js';
import { START } from './start/start-flags.js';
import { describeStartOptions, startOption } from './start/start-options.js';

type ProgramContext = {
  readonly version: string;
  readonly stdout: Write;
  readonly stderr: Write;
  /** This and the following functions each run a command and resolve with its exit code. */
  readonly start: (flags: Flags) => Promise<number>;
  readonly exec: (command: readonly string[], flags: ExecFlags) => Promise<number>;
  readonly config: (flags: Flags, isJson: boolean) => Promise<number>;
  readonly certs: (flags: Flags, isJson: boolean) => Promise<number>;
  readonly env: (flags: Flags, format: EnvFormat, credential: Credential) => Promise<number>;
  readonly validate: (files: readonly string[], flags: Flags) => Promise<number>;
  readonly check: (directory: string, flags: CheckFlags) => Promise<number>;
  readonly control: (command: ControlCommand, flags: AddressFlags) => Promise<number>;
  readonly healthcheck: (flags: Flags & WaitFlags) => Promise<number>;
  readonly messages: (request: MessageRequest) => Promise<number>;
  readonly definitions: (request: DefinitionRequest) => Promise<number>;
  readonly copy: (request: CopyRequest) => Promise<number>;
  readonly entities: (request: EntityRequest) => Promise<number>;
};

/** The code of a mistake in the command line. */
const USAGE = 'JIT1001';

const CONFIG_EXAMPLES = `
It takes all options of start; see jitney --help.

Examples:
  jitney config
  jitney config --config Config.json --queue orders --json
`;

const CERTS_EXAMPLES = `
It takes the options of start and asks the emulator that runs with them. If none runs, it prints what a
start would use, and makes the certificate authority if there is none yet.

Examples:
  jitney certs
  jitney certs --data ./bus --json
`;

const ENV_EXAMPLES = `
It takes the options of start and describes the emulator that they start, or have started in any folder.

Examples:
  jitney env > .env
  eval "$(jitney env --format shell)"
  jitney env --format github >> "$GITHUB_ENV"
  eval "$(jitney env --format shell --credential secret)"    # for EnvironmentCredential
`;

const VALIDATE_EXAMPLES = `
Examples:
  jitney validate Config.json
  jitney validate --tier basic tests/*.json
  jitney validate - < Config.json
`;

const CHECK_EXAMPLES = `
It reads everything and changes nothing. No emulator may use the directory meanwhile. With --repair it writes all
that can be read into a new data directory; a message whose content is lost becomes a dead letter with an empty body.

Examples:
  jitney check ./bus
  jitney check ./bus --repair ./bus-repaired
  jitney check ./bus --json
`;

const HEALTHCHECK_EXAMPLES = `
Examples:
  jitney healthcheck
  jitney healthcheck --http-port 5301
  jitney --memory & jitney healthcheck --wait 60 --pid $!
`;

/** Runs the command in `words`, which exclude node and script, and resolves with the exit code. */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<number> {
  const { own: args, command } = splitAtCommand(words);
  let exitCode = 0;
  const program = describeStartOptions(describeProgram(new Command('jitney'), context));
  // `start` is not registered with commander, because it also runs without its name.
  program.action(async (flags: Flags, command: Command) => {
    if (!lacksValue(command)) refuseUnknownCommand(command);
    exitCode = await context.start(flags);
  });
  const done = (code: number) => {
    exitCode = code;
  };
  program.commandsGroup('Commands:');
  describeExec(program, command, async (...given) => done(await context.exec(...given)));
  describeCommands(program, context, done);
  describeClientCommands(program, context, done);
  program.commandsGroup('Look into the running emulator, and change it:');
  describeControlCommands(program, async (...given) => done(await context.control(...given)));
  program.commandsGroup('Messages, with Jitney or Azure:');
  describeMessageCommands(program, async (request) => done(await context.messages(request)));
  program.commandsGroup('Entities and whole namespaces, with Jitney or Azure:');
  describeEntityCommands(program, async (request) => done(await context.entities(request)));
  describeDefinitionCommands(program, async (request) => done(await context.definitions(request)));
  describeCopy(program, async (request) => done(await context.copy(request)));
  nameHelpAfterErrors(program, args.includes('--json'));
  try {
    refuseUnknownFirst(program, args);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Help and version end here too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** An error names the help of the command that was given. With `--json` it is JSON, also where that command has no such option. */
function nameHelpAfterErrors(command: Command, isJson: boolean, path?: string): void {
  const words = path === undefined ? [] : command.commands.map((child) => child.name());
  const help = [...(words.length === 0 ? [] : [`Give one of ${words.join(', ')}`]), seeHelp(path)];
  if (isJson) {
    const outputError = (text: string, write: Write) =>
      write(jsonReport({ code: USAGE, message: messageIn(text), help }));
    command.configureOutput({ ...command.configureOutput(), outputError });
  } else command.showHelpAfterError(help.map((line) => `${HELP_INDENT}${line}`).join('\n'));
  for (const child of command.commands) {
    nameHelpAfterErrors(child, isJson, path === undefined ? child.name() : `${path} ${child.name()}`);
  }
}

/** The text of commander's error in the form of all others. */
function messageIn(text: string): string {
  const said = text.replace(/^error: /, '').trimEnd();
  return said.replace(/\n\(Did you mean ((?:one of )?)(.+)\?\)$/, (_, several, words) => {
    return `. Did you mean ${several === '' ? `'${words}'` : `one of ${words}`}?`;
  });
}

/** The other commands; `done` receives the exit code. */
function describeCommands(program: Command, context: ProgramContext, done: (exitCode: number) => void): void {
  program
    .command('config')
    .description(
      'print the settings and entities of a start, where each value comes from, and whether it is refused',
    )
    .option('--json', 'for programs')
    .addHelpText('after', CONFIG_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      refuseArguments(command, program);
      const { json = false, ...flags } = command.optsWithGlobals<Flags & { readonly json?: boolean }>();
      done(await context.config(flags, json));
    });
  program
    .command('validate')
    .description('exit with 0 if an emulator could start with each of these files, with 1 if not')
    .argument('<file...>', 'a Config.json of the official emulator; - for standard input')
    .addOption(startOption('tier'))
    .addOption(startOption('limits'))
    .addHelpText('after', VALIDATE_EXAMPLES)
    .action(async (files: readonly string[], _flags: Flags, command: Command) => {
      done(await context.validate(files, command.optsWithGlobals<Flags>()));
    });
  program
    .command('check')
    .description('exit with 0 if the data directory of a stopped emulator is intact, with 1 if it is damaged')
    .argument('<directory>', 'the directory that --data names')
    .allowExcessArguments(false)
    .option('--repair <new directory>', 'write everything that can be read to it, and list what is lost')
    .option('--json', 'one object, for programs')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (directory: string, _flags: CheckFlags, command: Command) => {
      done(await context.check(directory, command.optsWithGlobals<CheckFlags>()));
    });
  program
    .command('healthcheck')
    .description('exit with 0 if the Jitney on this machine is healthy, with 1 if not')
    // The program reads these options in any position; they are declared here only for the help.
    .option('--host <address>', `where it listens [${OPTIONS.host.default}]`)
    .option('--port <n>', 'its first port, used if only this one is given')
    .option(
      '--http-port <n>',
      `second port, for GET /health and administration [${OPTIONS.httpPort.default}]`,
    )
    .option('--wait <time>', 'how long it may take to become healthy, such as 60 or PT1M [0]')
    .option('--pid <id>', 'the process to wait for; the wait ends when that process ends')
    .addHelpText('after', HEALTHCHECK_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      refuseArguments(command, program);
      done(await context.healthcheck(command.optsWithGlobals<Flags & WaitFlags>()));
    });
  program
    .command('help')
    .description('print this, or the help of a command')
    .argument('[command...]')
    .action((words: readonly string[]) => help(program, words));
}

/** The commands that print how programs connect to an emulator. */
function describeClientCommands(
  program: Command,
  context: ProgramContext,
  done: (exitCode: number) => void,
): void {
  program
    .command('certs')
    .description('print the certificate that programs must trust, and how to configure each language')
    .option('--json', 'for programs')
    .addHelpText('after', CERTS_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      refuseArguments(command, program);
      const { json = false, ...flags } = command.optsWithGlobals<Flags & { readonly json?: boolean }>();
      done(await context.certs(flags, json));
    });
  program
    .command('env')
    .description('print the variables that a program needs to find and trust it')
    .addOption(
      new Option(`--format <${ENV_FORMATS.join('|')}>`, 'the format of the output')
        .choices(ENV_FORMATS)
        .default('dotenv'),
    )
    .addOption(
      new Option(
        `--credential <${CREDENTIALS.join('|')}>`,
        'the kind of identity with which a program asks for tokens',
      )
        .choices(CREDENTIALS)
        .default('managed-identity'),
    )
    .addHelpText('after', ENV_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      refuseArguments(command, program);
      const { format, credential, ...flags } = command.optsWithGlobals<
        Flags & { readonly format: EnvFormat; readonly credential: Credential }
      >();
      done(await context.env(flags, format, credential));
    });
}

function describeProgram(program: Command, { version, stdout, stderr }: ProgramContext): Command {
  return program
    .description('Azure Service Bus on your own machine. For development and tests, not for production use.')
    .usage('[start] [options]')
    .version(version)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      outputError: (text, write) => write(`✖ ${USAGE}  ${messageIn(text)}\n`),
    });
}

/** Whether an option has taken the next option as its value. The reader of that value reports it. */
function lacksValue(command: Command): boolean {
  const values = Object.values(command.opts()).flat();
  return values.some((value) => command.options.some(({ short, long }) => value === short || value === long));
}

/** Refuses an unknown command before its options, because they are unknown only because it is. */
function refuseUnknownFirst(program: Command, [word]: readonly string[]): void {
  if (word === '-v') program.error("unknown option '-v'. Did you mean '--version'?");
  if (word === undefined || word.startsWith('-') || commandsOf(program).includes(word)) return;
  refuseCommand(program, word);
}

function refuseCommand(program: Command, word: string): never {
  return program.error(`unknown command '${word}'.${suggestion(word, commandsOf(program))}`);
}

/** Refuses a first word other than `start`: commander has handled the known commands. */
function refuseUnknownCommand(command: Command): void {
  const [word, ...more] = command.args;
  const unknown = word === undefined || word === START ? more[0] : word;
  if (unknown === undefined) return;
  const known = commandsOf(command);
  if (known.includes(unknown)) command.error(`give only one command, not '${word} ${unknown}'`);
  if (word === START && suggestion(unknown, known) === '')
    command.error(`start takes options alone, not '${unknown}': a queue is named by  --queue ${unknown}`);
  refuseCommand(command, unknown);
}

/** Refuses arguments of a command that takes none. */
function refuseArguments(command: Command, program: Command): void {
  const [word] = command.args;
  if (word === undefined || lacksValue(program)) return;
  if (commandsOf(program).includes(word))
    command.error(`give only one command, not '${command.name()} ${word}'`);
  command.error(`unknown word '${word}' after '${command.name()}'.`);
}

function commandsOf(program: Command): string[] {
  return [START, ...program.commands.map((command) => command.name())];
}

/** Also of `dead-letter list`, a command of its own, and of `snapshot restore`, which is in the help of `snapshot`. */
function help(program: Command, [word = START, further, ...rest]: readonly string[]): void {
  const command = program.commands.find((one) => one.name() === word);
  if (word !== START && command === undefined) refuseCommand(program, word);
  const known = [...(command?.commands.map((one) => one.name()) ?? []), ...(CONTROL_WORDS[word] ?? [])];
  const isUnknown = further !== undefined && !known.includes(further);
  const [unknown, before] = isUnknown ? [further, word] : [rest[0], `${word} ${further}`];
  if (unknown !== undefined) {
    program.error(
      `unknown word '${unknown}' after '${before}'.${isUnknown ? suggestion(unknown, known) : ''}`,
    );
  }
  (command?.commands.find((one) => one.name() === further) ?? command ?? program).help();
}
