// The command line as commander sees it: which commands and options there are, and what their help says.

import { Command, CommanderError, Option } from 'commander';
import type { Flags } from '../config/environment.js';
import { DEFAULTS } from '../config/settings.js';
import { suggestion } from '../description/suggestion.js';
import { collect, describeAccess } from './access-options.js';
import { type ClientCommands, describeClientCommands } from './client-commands.js';
import type { Write } from './log.js';

export type ProgramContext = ClientCommands & {
  readonly version: string;
  readonly stdout: Write;
  readonly stderr: Write;
  /** Each resolves with the exit code. */
  readonly start: (flags: Flags) => Promise<number>;
  readonly config: (flags: Flags, isJson: boolean) => Promise<number>;
  readonly validate: (files: readonly string[], flags: Flags) => Promise<number>;
  readonly healthcheck: (flags: Flags) => Promise<number>;
};

/** Run without its name, too, so that commander does not know it. */
const START = 'start';

const EXAMPLES = `
Every option can also be given by a variable: --http-port by JITNEY_HTTP_PORT, --queue by
JITNEY_QUEUES and --topic by JITNEY_TOPICS (both separated by commas), and so on. A flag wins
over its variable. JITNEY_CONFIG_JSON holds a whole Config.json in place of a file.

Examples:
  jitney
  jitney --memory --queue orders --queue 'billing?lockDuration=PT30S&maxDeliveryCount=5'
  jitney --topic events/audit+mail --topic news/all
`;

const CONFIG_EXAMPLES = `
It takes all options of start; see jitney --help.

Examples:
  jitney config
  jitney config --config Config.json --queue orders --json
`;

const VALIDATE_EXAMPLES = `
Examples:
  jitney validate Config.json
  jitney validate --tier basic tests/*.json
  jitney validate - < Config.json
`;

const HEALTHCHECK_EXAMPLES = `
Examples:
  jitney healthcheck
  jitney healthcheck --http-port 5301
`;

/** Runs the command that `words` (without node and script) ask for, and resolves with the exit code. */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<number> {
  let exitCode = 0;
  const program = describeStart(new Command('jitney'), context);
  program.action(async (flags: Flags, command: Command) => {
    if (!lacksValue(command)) refuseUnknownCommand(command);
    exitCode = await context.start(flags);
  });
  const done = (code: number) => {
    exitCode = code;
  };
  describeCommands(program, context, done);
  describeClientCommands(program, context, done, (command) => refuseWords(command, program));
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Help and version come this way too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** Those beside start; `done` hears the exit code. */
function describeCommands(program: Command, context: ProgramContext, done: (exitCode: number) => void): void {
  program
    .command('config')
    .description(
      'print the settings and entities of a start, where each value comes from, and if it is refused',
    )
    .option('--json', 'for programs')
    .addHelpText('after', CONFIG_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      refuseWords(command, program);
      const { json = false, ...flags } = command.optsWithGlobals<Flags & { readonly json?: boolean }>();
      done(await context.config(flags, json));
    });
  program
    .command('validate')
    .description('exit with 0 if an emulator could start with each of these files, with 1 if not')
    .argument('<file...>', 'a Config.json of the official emulator; - for standard input')
    .option('--tier <basic|standard|premium>', `whose limits and features apply [${DEFAULTS.tier}]`)
    .option('--limits <azure|none>', `none lifts the limits of size and number [${DEFAULTS.limits}]`)
    .addHelpText('after', VALIDATE_EXAMPLES)
    .action(async (files: readonly string[], _flags: Flags, command: Command) => {
      done(await context.validate(files, command.optsWithGlobals<Flags>()));
    });
  program
    .command('healthcheck')
    .description('exit with 0 if the Jitney on this machine is healthy, with 1 if not')
    // The program reads them wherever they stand; here they are for the help.
    .option('--host <address>', `where it listens [${DEFAULTS.host}]`)
    .option('--port <n>', 'its first port, asked where only that is given')
    .option('--http-port <n>', `second port, for GET /health and administration [${DEFAULTS.httpPort}]`)
    .addHelpText('after', HEALTHCHECK_EXAMPLES)
    .action(async (_flags: Flags, command: Command) => {
      refuseWords(command, program);
      done(await context.healthcheck(command.optsWithGlobals<Flags>()));
    });
  program
    .command('help')
    .description('print this, or the help of a command')
    .argument('[command]')
    .action((word: string | undefined) => help(program, word));
}

function describeStart(program: Command, context: ProgramContext): Command {
  return describeAccess(describeEmulator(describeProgram(program, context)))
    .optionsGroup('Options:')
    .option('--log-level <level>', `trace, debug, info, warn, error or silent [${DEFAULTS.logLevel}]`)
    .addHelpText('after', EXAMPLES);
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
      outputError: (text, write) => write(`✖ JIT1001  ${text.replace(/^error: /, '')}`),
    });
}

function describeEmulator(program: Command): Command {
  return program
    .optionsGroup('Where it listens:')
    .option('--host <address>', `where to listen [${DEFAULTS.host}: 127.0.0.1 and ::1]`)
    .option('-p, --port <n>', `AMQP, HTTP, WebSocket and TLS; 0 takes a free one [${DEFAULTS.port}]`)
    .option('--http-port <n|off>', `second port, for GET /health and administration [${DEFAULTS.httpPort}]`)
    .optionsGroup('Entities:')
    .option('-c, --config <file>', 'a Config.json of the official emulator')
    .addOption(new Option('-q, --queue <spec>', 'create a queue; repeatable').argParser(collect))
    .addOption(
      new Option(
        '-t, --topic <spec>',
        'create a topic with subscriptions, such as events/audit+mail; repeatable',
      ).argParser(collect),
    )
    .optionsGroup('What is kept:')
    .option('-d, --data <dir>', `keep everything in this directory [${DEFAULTS.data}]`)
    .option('--memory', 'keep nothing when the process ends')
    .option('--reset', 'first remove the messages and entities of earlier starts; keep certificates and keys')
    .option(
      '--durability <os|fsync>',
      `outlive a crash of the process, or of the machine [${DEFAULTS.durability}]`,
    )
    .optionsGroup('How it behaves:')
    .option('--tier <basic|standard|premium>', `whose limits and features apply [${DEFAULTS.tier}]`)
    .option('--limits <azure|none>', `none lifts the limits of size and number [${DEFAULTS.limits}]`)
    .option(
      '--expiry-sweep <always|whenListening>',
      `when messages expire: on time, or only if a receiver listens [${DEFAULTS.expirySweep}]`,
    )
    .option('--release-locks-on-detach', 'a receiver that goes gives back its locked messages at once')
    .option(
      '--expire-whole-session <true|false>',
      `one expired message takes its session along [${DEFAULTS.expireWholeSession}]`,
    )
    .option(
      '--idle-timeouts <off|azure>',
      `end idle links and connections as Azure does [${DEFAULTS.idleTimeouts}]`,
    )
    .option(
      '--authorization-timeout <time|off>',
      'time to send a token, such as PT20S or 20 [as --idle-timeouts]',
    );
}

/** Whether an option has taken the next one for its value. Its reader then says what the value must be. */
function lacksValue(command: Command): boolean {
  const values = Object.values(command.opts()).flat();
  return values.some((value) => command.options.some(({ short, long }) => value === short || value === long));
}

/** `start` is the only word that may stand where a command does; others are commander's or misspelt. */
function refuseUnknownCommand(command: Command): void {
  const [word, ...more] = command.args;
  const unknown = word === undefined || word === START ? more[0] : word;
  if (unknown === undefined) return;
  const known = commandsOf(command);
  if (known.includes(unknown)) command.error(`give one command, not '${word} ${unknown}'`);
  command.error(`unknown command '${unknown}'.${suggestion(unknown, known)}`);
}

/** Of a command that takes none. */
function refuseWords(command: Command, program: Command): void {
  const [word] = command.args;
  if (word === undefined || lacksValue(program)) return;
  if (commandsOf(program).includes(word)) command.error(`give one command, not '${command.name()} ${word}'`);
  command.error(`unknown word '${word}' behind '${command.name()}'.`);
}

function commandsOf(program: Command): string[] {
  return [START, ...program.commands.map((command) => command.name())];
}

function help(program: Command, word: string = START): void {
  const command = program.commands.find((one) => one.name() === word);
  if (word !== START && command === undefined) {
    program.error(`unknown command '${word}'.${suggestion(word, commandsOf(program))}`);
  }
  (command ?? program).help();
}
