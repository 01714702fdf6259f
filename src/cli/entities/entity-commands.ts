// The commands that create, change and delete entities, as commander sees them, with their help. They work with a Jitney and with Azure.

import type { Command } from 'commander';
import type { Flags } from '../../config/environment.js';
import { OPTIONS } from '../../config/options/option-table.js';
import { collect, EXIT_CODE_HELP, withService } from '../messages/message-commands.js';

export const CHANGES = ['create', 'update', 'delete'] as const;
export const TARGET_KINDS = ['queue', 'topic', 'subscription', 'rule'] as const;

export type Change = (typeof CHANGES)[number];
export type TargetKind = (typeof TARGET_KINDS)[number];

export type EntityFlags = {
  readonly connectionString?: string;
  readonly namespace?: string;
  readonly json?: boolean;
  readonly ifMissing?: boolean;
  readonly yes?: boolean;
  readonly sql?: string;
  readonly correlation?: readonly string[];
  readonly action?: string;
};

export type EntityRequest = {
  readonly change: Change;
  readonly kind: TargetKind;
  /** As on the command line: `orders?lockDuration=PT30S`, `events/audit/red`. */
  readonly specs: readonly string[];
  readonly own: EntityFlags;
  readonly flags: Flags;
};

const DOES: Readonly<Record<Change, string>> = {
  create: 'create queues, topics, subscriptions or rules, with a Jitney or in Azure',
  update: 'change properties of queues, topics or subscriptions, or rules',
  delete: 'delete queues, topics, subscriptions or rules',
};

const WHAT: Readonly<Record<TargetKind, { readonly argument: string; readonly means: string }>> = {
  queue: { argument: '<queue...>', means: 'such as orders?lockDuration=PT30S&maxDeliveryCount=5' },
  topic: { argument: '<topic...>', means: 'such as events?defaultMessageTimeToLive=PT1H' },
  subscription: { argument: '<subscription...>', means: 'such as events/audit?lockDuration=PT30S' },
  rule: { argument: '<rule...>', means: 'topic/subscription/rule' },
};

const EXAMPLES: Readonly<Record<Change, Readonly<Record<TargetKind, readonly string[]>>>> = {
  create: {
    queue: [
      "jitney create queue 'orders?lockDuration=PT30S' baskets?requiresSession=true",
      'jitney create queue orders --if-missing',
    ],
    topic: [
      'jitney create topic events/audit+mail',
      "jitney create topic 'events/audit?lockDuration=PT5S' news",
    ],
    subscription: ["jitney create subscription 'events/audit?requiresSession=true'"],
    rule: [
      `jitney create rule events/audit/red --sql "color = 'red'"`,
      'jitney create rule events/audit/placed --correlation subject=placed --correlation region=EU',
      `jitney create rule events/audit/big --sql 'n > 9' --action "SET sys.Label = 'big'"`,
    ],
  },
  update: {
    queue: ["jitney update queue 'orders?lockDuration=PT1M&forwardTo='"],
    topic: ["jitney update topic 'events?defaultMessageTimeToLive=P1D'"],
    subscription: ["jitney update subscription 'events/audit?maxDeliveryCount=3'"],
    rule: [`jitney update rule events/audit/red --sql "color IN ('red', 'pink')"`],
  },
  delete: {
    queue: ['jitney delete queue orders', 'jitney delete queue orders baskets --yes'],
    topic: ['jitney delete topic events'],
    subscription: ['jitney delete subscription events/audit'],
    rule: ["jitney delete rule 'events/audit/$Default'"],
  },
};

const NOTES: Readonly<Record<Change, string>> = {
  create: `The notation is that of --queue and --topic: properties have the names of the SDK's options, in docs/entities.md.
What exists is left as it is: it says in what that differs, and exits with 1; with --if-missing, it says nothing.
Those that forward are created after their destinations.`,
  update: 'Properties that are not named stay as they are. A name with nothing behind the = gets no value.',
  delete: 'It asks before it deletes messages, and needs --yes where nobody can answer.',
};
const WHERE = `It goes to --connection-string or the emulator on --port, or else to the emulator on JITNEY_PORT, or to
SERVICEBUS_CONNECTION_STRING, or to port ${OPTIONS.port.default} of this machine. The key needs the right Manage.`;

/** Declares the commands on the program; `run` is called for the one that was given. */
export function describeEntityCommands(
  program: Command,
  run: (request: EntityRequest) => Promise<void>,
): void {
  for (const change of CHANGES) {
    const parent = program
      .command(change)
      .description(DOES[change])
      .helpCommand(false)
      .addHelpText('after', examplesOf(TARGET_KINDS.flatMap((kind) => EXAMPLES[change][kind].slice(0, 1))));
    for (const kind of TARGET_KINDS) {
      const { argument, means } = WHAT[kind];
      const command = parent
        .command(kind)
        .description(`${change} one or more ${kind}s`)
        .argument(argument, means);
      describeOptions(command, change, kind)
        .addHelpText(
          'after',
          `\n${WHERE}\n\n${notesOf(change, kind)}\n\n${EXIT_CODE_HELP}\n${examplesOf(EXAMPLES[change][kind])}`,
        )
        .action((specs: readonly string[]) =>
          run({ change, kind, specs, own: command.opts<EntityFlags>(), flags: program.opts<Flags>() }),
        );
    }
  }
}

function notesOf(change: Change, kind: TargetKind): string {
  if (kind !== 'rule' || change === 'delete') return NOTES[change];
  const [, exists = ''] = NOTES.create.split('\n');
  return `A new subscription has the rule $Default, which takes every message: delete it to take only what other rules take.
A message must equal every --correlation; name:type=value compares with a value of type int, long, double or boolean.
${change === 'create' ? exists : 'A rule is replaced: without --action it has none.'}`;
}

function examplesOf(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function describeOptions(command: Command, change: Change, kind: TargetKind): Command {
  withService(command).option('--json', 'one JSON object per line');
  if (change === 'create') command.option('--if-missing', 'leave what exists, and say nothing about it');
  if (change === 'delete') command.option('--yes', 'do not ask, whatever it holds');
  if (kind === 'rule' && change !== 'delete') {
    command
      .option('--sql <filter>', 'the filter as SQL')
      .option('--correlation <name=value>', 'a property that a message must have; repeatable', collect)
      .option('--action <sql>', "SQL that changes the subscription's copy");
  }
  return command;
}
