// `jitney purge`, `move`, `resubmit`, `show` and `history` as commander sees them, with their help.

import { type Command, InvalidArgumentError } from 'commander';

export const SELECTED_STATES = ['active', 'locked', 'scheduled', 'deferred', 'dead'] as const;
export type SelectedState = (typeof SELECTED_STATES)[number];

export type ManageFlags = {
  readonly deadLetter?: boolean;
  readonly state?: readonly SelectedState[];
  readonly filter?: string;
  readonly number?: readonly bigint[];
  readonly olderThan?: string;
  readonly to?: string;
  readonly raiseDeliveryCounts?: boolean;
  readonly newMessageId?: boolean;
  readonly mayDropDuplicates?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

export type ManagingWord = 'purge' | 'move' | 'resubmit';

const NUMBER = /^\s*\d{1,18}\s*$/;

const DOES: Readonly<Record<ManagingWord, string>> = {
  purge: 'delete the messages of an entity, or only some of them',
  move: 'move messages to another queue or topic of the same namespace',
  resubmit: 'send dead letters back to the entity that they come from',
};

export const EXAMPLES: Readonly<Record<ManagingWord, readonly string[]>> = {
  purge: ['jitney purge orders --yes', 'jitney purge orders --state scheduled --older-than PT1H --dry-run'],
  move: [
    'jitney move orders --to orders-old --older-than P1D --yes',
    'jitney move orders --state dead --to bin --filter "color = \'red\'"',
  ],
  resubmit: [
    'jitney resubmit orders --yes',
    'jitney resubmit events/Subscriptions/audit --number 7,9 --dry-run',
  ],
};

export const WITH_AZURE =
  'With the connection string of Azure, or of any other service, it uses AMQP: docs/to-azure.md says what works there.';

/** The flags that say where the emulator is. */
export function withoutSelection<Flags extends object>(flags: Flags): Flags {
  const { deadLetter, state, filter, number, olderThan, to, ...rest } = flags as Flags & ManageFlags;
  const { raiseDeliveryCounts, newMessageId, mayDropDuplicates, dryRun, yes, ...others } = rest;
  return others as unknown as Flags;
}

export function doesOf(word: ManagingWord): string {
  return DOES[word];
}

export function describeSelection(command: Command, word: ManagingWord): Command {
  command.argument('<entity>', 'its path');
  if (word === 'purge') command.option('--dead-letter', 'the same as --state dead');
  if (word !== 'resubmit') {
    command.option(
      '--state <states>',
      `only these, separated by commas: ${SELECTED_STATES.join(', ')}`,
      statesIn,
    );
  }
  command
    .option('--filter <sql>', 'only messages that match this filter, written as in a rule')
    .option('--number <n,m>', 'only messages with these sequence numbers', numbersIn)
    .option('--older-than <duration>', 'only messages that were enqueued longer ago: PT1H, or 3600 seconds');
  if (word === 'move') command.requiredOption('--to <entity>', 'the queue or topic that takes them');
  if (word !== 'resubmit') {
    command.option(
      '--raise-delivery-counts',
      'with Azure: select active messages, although it counts a delivery of each one that is looked at',
    );
  }
  if (word !== 'purge') {
    command
      .option('--new-message-id', 'with Azure: give each copy an id of its own')
      .option(
        '--may-drop-duplicates',
        'with Azure: go on although the destination may drop a message whose id it still knows',
      );
  }
  return command
    .option('--dry-run', 'say how many it would be, and change nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'an object with the count, for programs');
}

function statesIn(text: string): readonly SelectedState[] {
  return text.split(',').map((word) => {
    const state = SELECTED_STATES.find((one) => one === word.trim());
    if (state !== undefined) return state;
    throw new InvalidArgumentError(`The states are ${SELECTED_STATES.join(', ')}.`);
  });
}

function numbersIn(text: string): readonly bigint[] {
  return text.split(',').map((word) => {
    if (NUMBER.test(word)) return BigInt(word);
    throw new InvalidArgumentError('Give sequence numbers, separated by commas.');
  });
}

export function numberIn(text: string): bigint {
  if (NUMBER.test(text)) return BigInt(text);
  throw new InvalidArgumentError('Give one sequence number, such as 7.');
}
