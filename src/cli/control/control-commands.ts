// The commands that look into the running emulator, as commander sees them, with their help.

import type { Command } from 'commander';
import { OPTIONS } from '../../config/options/option-table.js';
import { CLOCK_CHANGES, type GivenChange } from './clock-command.js';
import type { AddressFlags } from './emulator-address.js';
import {
  describeFault as describeFaultFlags,
  FAULT_WORDS,
  type FaultFlags,
  type GivenFault,
} from './fault-command.js';
import {
  describeSelection,
  doesOf,
  EXAMPLES,
  type ManageFlags,
  type ManagingWord,
  numberIn,
  WITH_AZURE,
  withoutSelection,
} from './manage-commands.js';
import { NAMESPACE_WORDS } from './namespaces-command.js';
import { SNAPSHOT_WORDS } from './snapshot-command.js';

export type ControlCommand = { readonly isJson: boolean } & (
  | { readonly name: 'ls'; readonly entities: readonly string[]; readonly failsIfDeadLetters: boolean }
  | {
      readonly name: 'tail';
      readonly entity: string | undefined;
      readonly kind: string | undefined;
      readonly since: string | undefined;
      readonly max: string | undefined;
      readonly for: string | undefined;
    }
  | { readonly name: 'connections' | 'status' | 'stop' }
  | { readonly name: 'namespaces'; readonly word: string | undefined; readonly namespace: string | undefined }
  | { readonly name: ManagingWord; readonly entity: string; readonly manage: ManageFlags }
  | { readonly name: 'load'; readonly entity: string; readonly file: string }
  | { readonly name: 'show' | 'history'; readonly entity: string; readonly number: bigint }
  | { readonly name: 'reset'; readonly isAll: boolean; readonly isAgreed: boolean }
  | {
      readonly name: 'snapshot';
      readonly word: string;
      readonly file: string;
      /** Whether there is no question before a restore, and a file may be overwritten. */
      readonly isAgreed: boolean;
      readonly isForced: boolean;
    }
  | { readonly name: 'mcp'; readonly isWriting: boolean }
  | ({ readonly name: 'clock' } & GivenChange)
  | ({ readonly name: 'fault' } & GivenFault)
);

/** The words that follow commands, by these. */
export const CONTROL_WORDS: Readonly<Record<string, readonly string[]>> = {
  clock: CLOCK_CHANGES,
  fault: FAULT_WORDS,
  namespaces: NAMESPACE_WORDS,
  snapshot: SNAPSHOT_WORDS,
};

const MANAGED = ['purge', 'move', 'resubmit', 'show', 'history'] as const;
export type ManagedCommand = Extract<ControlCommand, { readonly name: (typeof MANAGED)[number] }>;

/** The commands that one client of the control interface carries out. */
export type AskingCommand = Exclude<ControlCommand, { readonly name: 'mcp' }>;

/** Whether the command also works with another service than a Jitney. */
export function isManaged(command: ControlCommand): command is ManagedCommand {
  return MANAGED.some((name) => name === command.name);
}

/** Runs a command and resolves when it has ended. */
type Run = (command: ControlCommand, flags: AddressFlags) => Promise<void>;

type Request = ControlCommand extends infer Each
  ? Each extends ControlCommand
    ? Omit<Each, 'isJson'>
    : never
  : never;

/** The flags of a command that do not say where the emulator is. */
type OwnFlags = {
  readonly json?: boolean | undefined;
  readonly kind?: string | undefined;
  readonly since?: string | undefined;
  readonly max?: string | undefined;
  readonly for?: string | undefined;
  readonly all?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly failIfDeadLetters?: boolean | undefined;
  readonly write?: boolean | undefined;
};

const WHERE = `
It asks the emulator that --port, --connection-string, JITNEY_PORT or SERVICEBUS_CONNECTION_STRING names, the first
of these that is given, or else the one on port ${OPTIONS.port.default} of this machine. It exits with 3 if none answers.
`;

type Described = {
  readonly word: string;
  readonly does: string;
  readonly examples: readonly string[];
  /** A sentence after the one about the emulator. */
  readonly more?: string;
};

export function describeControlCommands(program: Command, run: Run): void {
  describeLooks(program, run);
  describeNamespaces(program, run);
  describeStop(program, run);
  describeTail(program, run);
  describeSnapshot(program, run);
  describeManagement(program, run);
  describeShows(program, run);
  describeLoad(program, run);
  describeReset(program, run);
  describeClock(program, run);
  describeFault(program, run);
  describeMcp(program, run);
}

function describeLooks(program: Command, run: Run): void {
  describe(program, {
    word: 'status',
    does: 'say which emulator runs, since when, and what it holds',
    examples: ['jitney status', 'jitney status --port 5673 --json'],
  })
    .option('--json', 'an object, for programs')
    .action(running(run, () => ({ name: 'status' })));
  describe(program, {
    word: 'ls',
    does: 'list the queues, topics and subscriptions of the running emulator with their counts',
    examples: [
      'jitney ls',
      'jitney ls orders notices/Subscriptions/mail --json',
      'jitney ls --fail-if-dead-letters',
    ],
  })
    .argument('[entity...]', 'their paths; all if none is given')
    .option('--fail-if-dead-letters', 'exit with 1 if one of them has dead letters')
    .option('--json', 'one object per line, for programs')
    .action(
      running(run, ([entities], { failIfDeadLetters: failsIfDeadLetters = false }) => ({
        name: 'ls',
        entities,
        failsIfDeadLetters,
      })),
    );
  describe(program, {
    word: 'connections',
    does: 'list the clients that are connected to the running emulator, with their links',
    examples: ['jitney connections', 'jitney connections --json'],
  })
    .option('--json', 'one object per line, for programs')
    .action(running(run, () => ({ name: 'connections' })));
}

function describeNamespaces(program: Command, run: Run): void {
  program
    .command('namespaces')
    .description('list, add or remove namespaces of the running emulator')
    .allowExcessArguments(false)
    .argument('[word]', `one of ${NAMESPACE_WORDS.join(', ')}; none lists the namespaces`)
    .argument('[name]', 'the name of a namespace; remove also removes all that is stored in it')
    .option('--port <n>', `the emulator's port [${OPTIONS.port.default}]`)
    .option('--host <address>', `where it listens [${OPTIONS.host.default}]`)
    .option('--connection-string <text>', 'its connection string, in place of a port')
    .option('--json', 'one object per line, for programs')
    .addHelpText(
      'after',
      `${WHERE}\nExamples:\n  jitney namespaces\n  jitney namespaces add tests-1\n  jitney namespaces remove tests-1\n`,
    )
    .action(running(run, ([word, namespace]) => ({ name: 'namespaces', word, namespace })));
}

function describeStop(program: Command, run: Run): void {
  describe(program, {
    word: 'stop',
    does: 'stop the running emulator, and wait until it has stopped',
    examples: ['jitney stop', 'jitney stop --port 5673'],
  })
    .option('--json', 'an object, for programs')
    .action(running(run, () => ({ name: 'stop' })));
}

function describeTail(program: Command, run: Run): void {
  describe(program, {
    word: 'tail',
    does: 'print what happens in the running emulator until Ctrl-C',
    examples: [
      'jitney tail orders',
      'jitney tail --kind dead-lettered,lock-expired --since 0 --json',
      'jitney tail orders --kind completed --max 1 --for 10s',
    ],
    more: 'It exits with 4 if --for ends before the events of --max have come.',
  })
    .argument('[entity]', 'a path: only events there and below it')
    .option('--kind <kinds>', 'only events of these kinds, separated by commas')
    .option('--since <id>', 'begin after the event with this id; 0 begins with the first event that is kept')
    .option('--max <n>', 'end after so many events')
    .option('--for <time>', 'end after this time, such as 10s or PT10M')
    .option('--json', 'one object per line, for programs')
    .action(
      running(run, ([entity], { kind, since, max, for: span }) => {
        return { name: 'tail', entity, kind, since, max, for: span };
      }),
    );
}

function describeManagement(program: Command, run: Run): void {
  for (const word of ['purge', 'move', 'resubmit'] as const) {
    const command = describe(program, {
      word,
      does: doesOf(word),
      examples: EXAMPLES[word],
      more: word === 'purge' ? `Purging a scheduled message cancels it. ${WITH_AZURE}` : WITH_AZURE,
    });
    describeSelection(command, word).action((entity: string, manage: ManageFlags, given: Command) => {
      const { isJson, flags } = flagsOf(given);
      return run({ name: word, entity, manage, isJson }, withoutSelection(flags));
    });
  }
}

function describeShows(program: Command, run: Run): void {
  const shows = [
    { word: 'show', does: 'show one message with all that is known of it' },
    { word: 'history', does: 'show what has happened to one message' },
  ] as const;
  for (const { word, does } of shows) {
    const examples = [`jitney ${word} orders 7`, `jitney ${word} 'orders/$DeadLetterQueue' 7 --json`];
    describe(program, { word, does, examples, more: WITH_AZURE })
      .argument('<entity>', 'its path')
      .argument('<number>', 'the sequence number', numberIn)
      .option('--json', 'an object, for programs')
      .action(running(run, ([entity, number]) => ({ name: word, entity, number })));
  }
}

function describeLoad(program: Command, run: Run): void {
  describe(program, {
    word: 'load',
    does: 'put messages from a file of JSON lines into an entity',
    examples: [
      'jitney load orders orders.ndjson',
      'jitney peek orders --max all --raw | jitney load orders-copy - --port 5673',
    ],
  })
    .argument('<entity>', 'its path; a dead-letter queue takes dead letters')
    .argument('<file>', 'one message a line; - for standard input')
    .option('--json', 'an object with their count, for programs')
    .action(running(run, ([entity, file]) => ({ name: 'load', entity, file })));
}

function describeReset(program: Command, run: Run): void {
  describe(program, {
    word: 'reset',
    does: 'remove all messages of the running emulator',
    examples: ['jitney reset', 'jitney reset --all --yes --port 5673'],
  })
    .option('--all', 'also bring back exactly the entities that it started with')
    .option('--yes', 'do not ask')
    .option('--json', 'an object with their count, for programs')
    .action(
      running(run, (_, { all = false, yes = false }) => ({ name: 'reset', isAll: all, isAgreed: yes })),
    );
}

function describeSnapshot(program: Command, run: Run): void {
  describe(program, {
    word: 'snapshot',
    does: 'save all that the running emulator has stored in a file, or restore it from there',
    examples: ['jitney snapshot save prepared.snapshot', 'jitney snapshot restore prepared.snapshot --yes'],
  })
    .argument('<word>', `one of ${SNAPSHOT_WORDS.join(', ')}; restore first removes all there is`)
    .argument('<file>', 'the file of the snapshot')
    .option('--yes', 'restore: do not ask')
    .option('--force', 'save: overwrite the file')
    .option('--json', 'an object, for programs')
    .action(
      running(run, ([word, file], { yes = false, force = false }) => {
        return { name: 'snapshot', word, file, isAgreed: yes, isForced: force };
      }),
    );
}

function describeClock(program: Command, run: Run): void {
  describe(program, {
    word: 'clock',
    does: 'show or set the time of the running emulator',
    examples: ['jitney clock', 'jitney clock advance P2D', 'jitney clock freeze', 'jitney clock scale 60'],
  })
    .argument('[change]', `one of ${CLOCK_CHANGES.join(', ')}; none shows the time`)
    .argument('[value]', 'for advance: a duration such as PT5M; for scale: how many times as fast')
    .option('--json', 'an object, for programs')
    .action(running(run, ([change, value]) => ({ name: 'clock', change, value })));
}

function describeFault(program: Command, run: Run): void {
  const command = describe(program, {
    word: 'fault',
    does: 'list, add or remove faults of the running emulator: a busy server, a lost answer, a lock that ends early',
    examples: [
      'jitney fault',
      'jitney fault add --on send --entity orders --error com.microsoft:server-busy --times 2',
      "jitney fault add --on complete --match 'sys.DeliveryCount = 0' --lose-answer",
      'jitney fault preset throttled --per-second 5',
      'jitney fault remove 3',
      'jitney fault clear',
    ],
  })
    .argument('[word]', `one of ${FAULT_WORDS.join(', ')}; none lists the faults`)
    .argument('[value]', 'for preset: its name; for remove: the number of a fault');
  describeFaultFlags(command)
    .option('--json', 'an object, for programs')
    .action(running(run, ([word, value], _, fault) => ({ name: 'fault', word, value, fault })));
}

function describeMcp(program: Command, run: Run): void {
  describe(program, {
    word: 'mcp',
    does: 'let an assistant look into the running emulator, by the Model Context Protocol over standard input and output',
    examples: ['jitney mcp', 'jitney mcp --port 5673 --write'],
    more: 'It needs the package @modelcontextprotocol/sdk.',
  })
    .option('--write', 'also let it send, settle, purge and change; without this it only looks')
    .action(running(run, (_, { write: isWriting = false }) => ({ name: 'mcp', isWriting })));
}

function describe(program: Command, { word, does, examples, more }: Described): Command {
  return (
    program
      .command(word)
      .description(does)
      .allowExcessArguments(false)
      // The program reads these two options in any position; they are declared here only for the help.
      .option('--port <n>', `its port [${OPTIONS.port.default}]`)
      .option('--host <address>', `where it listens [${OPTIONS.host.default}]`)
      .option('--connection-string <text>', 'its connection string, in place of a port')
      .option('--namespace <name>', 'one of its namespaces [default]')
      .addHelpText(
        'after',
        `${WHERE}${more === undefined ? '' : `${more}\n`}\nExamples:\n${examples.map((each) => `  ${each}\n`).join('')}`,
      )
  );
}

/** The action of a command: `read` makes the request of its words and its own flags; `all` are the flags as they were given. */
function running(
  run: Run,
  // biome-ignore lint/suspicious/noExplicitAny: commander does not type the words.
  read: (words: any[], own: OwnFlags, all: FaultFlags) => Request,
): (...given: readonly unknown[]) => Promise<void> {
  return (...given) => {
    const command = given.at(-1) as Command;
    const { isJson, own, flags } = flagsOf(command);
    return run({ ...read(command.processedArgs, own, command.optsWithGlobals()), isJson }, flags);
  };
}

/** Splits the flags of a command from the flags that say where the emulator is. */
function flagsOf(command: Command) {
  const {
    json: isJson = false,
    kind,
    since,
    max,
    for: span,
    all,
    yes,
    force,
    failIfDeadLetters,
    write,
    ...flags
  } = command.optsWithGlobals<AddressFlags & OwnFlags>();
  const own: OwnFlags = { kind, since, max, for: span, all, yes, force, failIfDeadLetters, write };
  return { isJson, own, flags };
}
