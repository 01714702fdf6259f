// `jitney purge`, `move` and `resubmit`: change messages of the running emulator, after saying how many they are.

import { refusing } from '../../config/options/option-types.js';
import { parseSpan } from '../../description/duration.js';
import type { ManagedAnswer, PurgedAnswer, QueueAnswer } from '../../http/control/control-schemas.js';
import type { CommandContext } from '../output/command-context.js';
import { INTERRUPTED, usageError } from '../output/error-report.js';
import { oneLine } from '../output/one-line.js';
import { countOf } from '../output/output.js';
import { progressLines } from '../output/progress.js';
import { confirmed } from '../output/question.js';
import type { ControlClient } from './control-client.js';
import type { ManageFlags, ManagingWord, SelectedState } from './manage-commands.js';

export type ManageContext = Pick<CommandContext, 'stdout' | 'stderr' | 'isTerminal' | 'readAnswer' | 'now'> &
  Partial<Pick<CommandContext, 'interrupted'>>;

type ManageRequest = {
  readonly name: ManagingWord;
  readonly entity: string;
  readonly manage: ManageFlags;
  readonly isJson: boolean;
};

type Selection = {
  readonly sequenceNumbers?: readonly number[];
  readonly state?: readonly SelectedState[];
  readonly filter?: string | undefined;
  readonly olderThanMs?: number | undefined;
};
/** A request for each store, and for each 250 numbers. */
type Part = { readonly entity: string; readonly selection: Selection };
type Managed = Pick<ManagedAnswer, 'count' | 'skippedCount' | 'skipped'>;

const DEAD_LETTERS = '/$DeadLetterQueue';
const MOST_NUMBERS = 250;
/** The messages that one request looks at. */
const PIECE = 20_000;
const MOST_SHOWN = 5;
const LIVING: readonly SelectedState[] = ['active', 'locked', 'scheduled', 'deferred'];
const NOT_SCHEDULED: readonly SelectedState[] = ['active', 'locked', 'deferred'];
const CALLS = { purge: 'messages:delete', move: 'messages:move', resubmit: 'messages:resubmit' } as const;
export const DONE = { purge: 'Removed', move: 'Moved', resubmit: 'Resubmitted' } as const;
export const WOULD = { purge: 'Would remove', move: 'Would move', resubmit: 'Would resubmit' } as const;
export const QUESTION = { purge: 'Remove', move: 'Move', resubmit: 'Resubmit' } as const;

/** Resolves with the exit code: 1 if the answer is no, or some messages stay as they are. */
export async function manageMessages(
  client: ControlClient,
  { name: word, entity, manage: flags, isJson }: ManageRequest,
  context: ManageContext,
): Promise<number> {
  const { stdout, stderr } = context;
  refuseNewIds(client, flags);
  const parts = partsOf(word, entity, flags);
  const [only, ...others] = parts;
  const shown = oneLine(others.length === 0 && only !== undefined ? only.entity : entity);
  const to = flags.to === undefined ? undefined : await client.fullPath(flags.to);
  const run = (more: object) => runAll(client, { word, parts, more: { ...more, to } }, context);
  if (flags.dryRun === true || flags.yes !== true) {
    const count = isWhole(word, flags) ? await countAll(client, parts) : (await run({ dryRun: true })).count;
    if (context.interrupted?.aborted === true) return INTERRUPTED;
    const target = to === undefined ? '' : ` to '${oneLine(to)}'`;
    const what = `${countOf(count, 'message')} of '${shown}'${target}`;
    if (flags.dryRun === true) {
      stdout(isJson ? `${JSON.stringify({ count })}\n` : `${WOULD[word]} ${what}\n`);
      return 0;
    }
    if (count > 0 && !(await confirmed(`${QUESTION[word]} ${what}?`, context))) return 1;
  }
  const { count, skippedCount, skipped } = isWhole(word, flags)
    ? await purgeAll(client, parts)
    : await run({});
  stdout(
    isJson
      ? `${JSON.stringify({ count, skippedCount })}\n`
      : `${DONE[word]} ${countOf(count, 'message')} from '${shown}'.\n`,
  );
  if (context.interrupted?.aborted === true) {
    stderr('It is not done: the same command goes on from here\n');
    return INTERRUPTED;
  }
  if (skippedCount === 0) return 0;
  stderr(`Unchanged: ${countOf(skippedCount, 'message')}\n`);
  for (const { message } of skipped.slice(0, MOST_SHOWN)) stderr(`  ${oneLine(message)}\n`);
  return 1;
}

/** A Jitney moves messages itself. It drops none: one that would be a duplicate stays where it is. Throws a JitneyError. */
function refuseNewIds({ options }: ControlClient, { newMessageId = false }: ManageFlags): void {
  if (!newMessageId) return;
  throw usageError(
    `--new-message-id is for other services: a Jitney drops no message that it moves, and each keeps its id. Leave it out, or give dead letters new ids with  jitney dead-letter resubmit <entity> --new-message-id${options}`,
  );
}

/** Whether a purge without any selection empties the entity, which takes the same time at any size. */
function isWhole(word: ManagingWord, { state, filter, number, olderThan }: ManageFlags): boolean {
  return word === 'purge' && [state, filter, number, olderThan].every((one) => one === undefined);
}

type Counted = Pick<QueueAnswer, 'counts'> & { readonly subscriptions?: readonly Counted[] };

/** The messages that a purge removes: no dead letters, but with a topic also the messages of its subscriptions. */
async function countAll(client: ControlClient, [part]: readonly Part[]): Promise<number> {
  const path = part?.entity ?? '';
  const isDead = path.toLowerCase().endsWith(DEAD_LETTERS.toLowerCase());
  const entity = isDead ? path.slice(0, -DEAD_LETTERS.length) : path;
  const found = await client.call<Counted>({ name: 'entity', query: { entity } });
  return isDead ? found.counts.deadLetter : livingIn(found);
}

function livingIn({ counts, subscriptions = [] }: Counted): number {
  const { active, locked, scheduled, deferred } = counts;
  return subscriptions.reduce((sum, one) => sum + livingIn(one), active + locked + scheduled + deferred);
}

async function purgeAll(client: ControlClient, [part]: readonly Part[]): Promise<Managed> {
  const call = { method: 'POST', name: 'messages:purge', body: {} } as const;
  const { count } = await client.call<PurgedAnswer>({ ...call, query: { entity: part?.entity } });
  return { count, skippedCount: 0, skipped: [] };
}

type Run = { readonly word: ManagingWord; readonly parts: readonly Part[]; readonly more: object };

/** Works in pieces, each of which is answered long before a call is given up. */
async function runAll(
  client: ControlClient,
  { word, parts, more }: Run,
  context: ManageContext,
): Promise<Managed> {
  const progress = progressLines(context);
  let total: Managed = { count: 0, skippedCount: 0, skipped: [] };
  for (const { entity, selection } of parts) {
    for (let next: string | undefined, isMore = true; isMore && context.interrupted?.aborted !== true; ) {
      const body: object = { ...selection, ...more, max: PIECE, next };
      const call = { method: 'POST', name: CALLS[word], query: { entity }, body } as const;
      const answer: ManagedAnswer = await client.call<ManagedAnswer>(call);
      total = {
        count: total.count + answer.count,
        skippedCount: total.skippedCount + answer.skippedCount,
        skipped: [...total.skipped, ...answer.skipped],
      };
      next = answer.next;
      isMore = next !== undefined;
      progress(() => `${countOf(total.count, 'message')} so far`);
    }
  }
  return total;
}

/** A queue, topic, subscription or dead-letter queue, and the states of its messages that a command changes. */
export type ChangedStore = { readonly entity: string; readonly state: readonly SelectedState[] };

/** Throws a JitneyError. */
export function storesOf(word: ManagingWord, given: string, flags: ManageFlags): readonly ChangedStore[] {
  const { number, filter, olderThan, deadLetter = false } = flags;
  if (number !== undefined && (filter ?? olderThan) !== undefined) {
    throw usageError('give either --number, or --filter and --older-than');
  }
  const isNamed = given.toLowerCase().endsWith(DEAD_LETTERS.toLowerCase());
  const dead = isNamed ? given : given + DEAD_LETTERS;
  const states = flags.state ?? (deadLetter ? ['dead' as const] : undefined);
  const isDead = word === 'resubmit' || isNamed || states?.includes('dead') === true;
  const living = isNamed ? [] : (states ?? LIVING).filter((state) => state !== 'dead');
  const isLiving = word !== 'resubmit' && living.length > 0 && !(isDead && states === undefined);
  return [
    ...(isLiving ? [{ entity: given, state: living }] : []),
    ...(isDead ? [{ entity: dead, state: word === 'resubmit' ? NOT_SCHEDULED : LIVING }] : []),
  ];
}

function partsOf(word: ManagingWord, given: string, flags: ManageFlags): readonly Part[] {
  const { filter, number } = flags;
  const olderThanMs = ageOf(flags);
  return storesOf(word, given, flags).flatMap(({ entity, state }): Part[] => {
    if (number === undefined) return [{ entity, selection: { state, filter, olderThanMs } }];
    return chunks(number.map(Number)).map((sequenceNumbers) => ({ entity, selection: { sequenceNumbers } }));
  });
}

function chunks(numbers: readonly number[]): readonly (readonly number[])[] {
  const count = Math.ceil(numbers.length / MOST_NUMBERS);
  return Array.from({ length: count }, (_, index) =>
    numbers.slice(index * MOST_NUMBERS, (index + 1) * MOST_NUMBERS),
  );
}

/** The milliseconds of `--older-than`. Throws a JitneyError. */
export function ageOf({ olderThan }: ManageFlags): number | undefined {
  if (olderThan === undefined) return undefined;
  return refusing('bad-option', '--older-than', () => parseSpan(olderThan));
}
