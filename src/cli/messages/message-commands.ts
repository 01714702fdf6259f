// The commands for messages as commander sees them, with their help. They use AMQP, with an emulator or with Azure.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ServiceTransport } from '../../client/service.js';
import type { Flags } from '../../config/environment.js';
import { OPTIONS } from '../../config/options/option-table.js';

/** Options of whatever takes messages from one place to another. */
export const NEW_MESSAGE_ID = ['--new-message-id', 'give each copy an id of its own'] as const;
export const MAY_DROP_DUPLICATES = [
  '--may-drop-duplicates',
  'go on although the destination may drop a message whose id it still knows',
] as const;

const TRANSPORTS: readonly ServiceTransport[] = ['amqp', 'websocket'];

type MessageCommand = 'send' | 'peek' | 'receive' | 'dead-letter list' | 'dead-letter resubmit';

/** The options of a command as commander reads them, unchecked. */
export type MessageFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type MessageRequest = {
  readonly command: MessageCommand;
  readonly entity: string;
  /** `-` if the body comes from standard input. */
  readonly input: string | undefined;
  readonly own: MessageFlags;
  /** The options of a start, which choose an emulator of this machine. */
  readonly flags: Flags;
};

const WHERE = `
It goes to --connection-string or the emulator on --port, or else to the emulator on JITNEY_PORT, or to
SERVICEBUS_CONNECTION_STRING, or to port ${OPTIONS.port.default} of this machine. The entity is a path: orders,
or events/audit for a subscription (in full: events/Subscriptions/audit).`;
export const EXIT_CODE_HELP =
  'Exit codes: 0 done, 1 refused, 2 bad usage, 3 not reachable, 4 no answer in time, 130 interrupted.';

const SEND_HELP = helpOf(
  `It prints the id of each message when the service has it. After Ctrl-C it sends no more, gives messages that are
under way 2 s, and says how many were sent and how many may have arrived.`,
  `jitney send orders --body '{"id":7}' --subject placed --property region=EU --property weight:int=3`,
  'jitney send orders - --session blue --schedule PT10M < order.json',
  'jitney send orders --file orders.ndjson --lines --content-type application/json',
);
const PEEK_HELP = helpOf(
  'Nothing is locked, and no delivery is counted. Scheduled and deferred messages are shown, too.',
  'jitney peek orders --max 50',
  'jitney peek events/Subscriptions/audit --dead-letter --json',
);
const RECEIVE_HELP = helpOf(
  `Each message is locked, printed, and then completed, so a message that was not printed stays in the entity.
It ends when --max messages have come or there are no more. It waits only for the first message; with --wait, it
exits with 4 if none comes.`,
  'jitney receive orders --max all --json > orders.ndjson',
  'jitney receive baskets --next-session --wait PT30S',
);
const LIST_HELP = helpOf(
  'Nothing is locked.',
  'jitney dead-letter list orders',
  'jitney dead-letter list events/Subscriptions/audit --json',
);
const RESUBMIT_HELP = helpOf(
  `It takes the dead letters that are there when it starts. It sends each one's properties, annotations and body to the source, and
completes the dead letter when the source has accepted the copy. Dead letters of a subscription go to its topic, and so to all of its
subscriptions. After Ctrl-C, messages that are under way have 2 s to end, and it says how many may be in both places.
A copy keeps its id. If the source detects duplicates, it would drop such a copy, so this is refused: use --new-message-id.`,
  'jitney dead-letter resubmit orders',
  'jitney dead-letter resubmit events/Subscriptions/audit --max 10',
);
const DEAD_LETTER_HELP = `
Examples:
  jitney dead-letter list orders
  jitney dead-letter resubmit orders
`;

function helpOf(text: string, ...examples: readonly string[]): string {
  const lines = examples.map((example) => `  ${example}\n`).join('');
  return `${WHERE}\n\n${text}\n\n${EXIT_CODE_HELP}\n\nExamples:\n${lines}`;
}

/** Declares the commands on the program; `run` is called for the one that was given. */
export function describeMessageCommands(
  program: Command,
  run: (request: MessageRequest) => Promise<void>,
): void {
  const declare = (parent: Command, name: string, command: MessageCommand) =>
    withTarget(parent.command(name).argument('<entity>', 'a queue, topic or subscription')).action(
      async (entity: string, ...rest: unknown[]) => {
        const own = rest.at(-1) as Command;
        refuseMissingValue(own);
        const input = typeof rest[0] === 'string' ? rest[0] : undefined;
        await run({ command, entity, input, own: own.opts(), flags: program.opts<Flags>() });
      },
    );
  describeSend(declare(program, 'send', 'send'));
  describePeek(declare(program, 'peek', 'peek'));
  describeReceive(declare(program, 'receive', 'receive'));
  const deadLetter = program
    .command('dead-letter')
    .description('show dead letters, or send them again')
    .helpCommand(false)
    .addHelpText('after', DEAD_LETTER_HELP);
  describeList(declare(deadLetter, 'list', 'dead-letter list'));
  describeResubmit(declare(deadLetter, 'resubmit', 'dead-letter resubmit'));
}

/** The program reads the first two options in any position; they are declared here only for the help. */
export function withService(command: Command): Command {
  return command
    .option('--host <address>', 'where the emulator listens')
    .option('-p, --port <n>', 'its port')
    .option('--connection-string <text>', 'the connection string of an emulator, or of a namespace of Azure')
    .option('--namespace <name>', 'one of the namespaces of a Jitney [default]');
}

function withTarget(command: Command): Command {
  return withService(command)
    .allowExcessArguments(false)
    .addOption(
      new Option('--transport <name>', 'AMQP over TCP [amqp], or over a WebSocket').choices(TRANSPORTS),
    )
    .option('--json', 'one JSON object per line');
}

function describeSend(command: Command): void {
  command
    .argument('[-]', 'read the body from standard input')
    .description('send a message, or many')
    .option('--body <text>', 'the body', once)
    .option('--file <path>', 'the body is the content of this file')
    .option('--lines', 'each line of the file or of standard input is a message; empty lines are skipped')
    .option(
      '--property <name=value>',
      'an application property; name:type=value for types other than text, or for a name with a colon; .NET knows uri, timespan (PT5S) and datetime-offset',
      collect,
    )
    .option('--session <id>', 'the session')
    .option('--message-id <id>', 'the id [a new one]')
    .option('--subject <text>', 'the subject, also called label')
    .option('--correlation-id <id>', 'the correlation id')
    .option('--content-type <type>', 'such as application/json')
    .option('--to <address>', 'the address that it is meant for; it does not decide where it goes')
    .option('--reply-to <entity>', 'where answers are to be sent')
    .option('--reply-to-session <id>', 'the session of the answers')
    .option('--partition-key <key>', 'messages with the same key come into the same partition')
    .option(
      '--schedule <time>',
      'when it becomes active: PT10M or 600 seconds from now, or 2026-05-01T12:00:00Z',
    )
    .option('--ttl <duration>', 'the time to live: PT1H, or 3600 seconds')
    .option('--count <n>', 'how many copies to send [1]')
    .addHelpText('after', SEND_HELP);
}

function describePeek(command: Command): void {
  command
    .description('show messages and leave them as they are')
    .option('--dead-letter', 'from the dead-letter queue')
    .option('--from <number>', 'the first sequence number [1]')
    .option('--max <n|all>', 'at most so many messages [10]')
    .option('--session <id>', 'only messages of this session')
    .option('--raw', 'JSON lines with the bytes of each message, which load takes back')
    .addHelpText('after', PEEK_HELP);
}

function describeReceive(command: Command): void {
  command
    .description('take messages, and complete each when it is printed')
    .option('--dead-letter', 'from the dead-letter queue')
    .option('--session <id>', 'only messages of this session')
    .option('--next-session', 'only messages of the next free session')
    .option('--max <n|all>', 'at most so many messages [1]')
    .option('--wait <duration>', 'how long to wait for the first message: PT1M, or 60 seconds [PT5S]')
    .option(
      '--keep',
      'abandon the messages at the end: they will be delivered again, and the delivery is counted',
    )
    .option('--receive-and-delete', 'without locks: the service deletes a message before it is printed')
    .addHelpText('after', RECEIVE_HELP);
}

function describeList(command: Command): void {
  command
    .description('show the dead letters, and why they are dead')
    .option('--max <n|all>', 'the most messages [all]')
    .addHelpText('after', LIST_HELP);
}

function describeResubmit(command: Command): void {
  command
    .description('send each dead letter to its source again')
    .option('--max <n|all>', 'the most messages [all]')
    .option('--wait <duration>', 'how long to wait for messages that other receivers hold [PT5S]')
    .option(...NEW_MESSAGE_ID)
    .option(...MAY_DROP_DUPLICATES)
    .addHelpText('after', RESUBMIT_HELP);
}

/** Refuses a second value, which would silently replace the first one. */
function once(value: string, before: string | undefined): string {
  if (before === undefined) return value;
  throw new InvalidArgumentError(
    'Give it once: each further message is a command of its own, or a line with --lines.',
  );
}

/** Reads an option that may be given several times. */
export function collect(item: string, before: readonly string[] = []): string[] {
  return [...before, item];
}

/** Refuses an option that has taken the next option as its value. */
function refuseMissingValue(command: Command): void {
  for (const option of command.options) {
    const value = command.getOptionValue(option.attributeName());
    const taken = command.options.some(({ short, long }) => value === long || (short && value === short));
    if (taken) command.error(`option '${option.flags}' argument missing`);
  }
}
