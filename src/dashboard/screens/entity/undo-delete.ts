// A deletion with a way back: the messages are kept before, and sent again.

import type { ManagedAnswer, SentAnswer } from '../../../http/control/control-schemas.js';
import { post } from '../../state/api.js';
import { numberText, spokenPath } from '../../state/format.js';
import { say } from '../../state/said.js';
import { type Sendable, sendableOf } from '../../state/sendable.js';
import { manage, type Progress } from './manage.js';
import { outcomeText } from './outcome.js';
import type { Place } from './read-messages.js';
import { storedMessages } from './stored-messages.js';
import { isDeadTab } from './tabs.js';

/** The most bytes of one list that is sent. */
const MOST_BYTES = 512 * 1024;

type Kept = Sendable & {
  readonly sequenceNumber: number;
  readonly reason: string | undefined;
  readonly description: string | undefined;
};

type Control = { readonly signal: AbortSignal; readonly progress: Progress };

/**
 * Deletes the messages that could be kept, and says so, with the way back; `undone` is called after it was gone. Resolves with how
 * many are deleted.
 */
export async function deleteKept(
  place: Place,
  numbers: readonly number[],
  { undone, ...control }: Control & { readonly undone: () => Promise<void> },
): Promise<number> {
  const kept = await keep(place, numbers, control.signal);
  // A message that was not read is not deleted: nothing could bring it back.
  const selected = { kind: 'some', numbers: kept.map(({ sequenceNumber }) => sequenceNumber) } as const;
  const outcome = await manage({ place, act: 'delete', more: {}, selected, ...control });
  const missingCount = numbers.length - kept.length;
  const missing = missingCount === 0 ? '' : ` ${numberText(missingCount)} had gone before.`;
  const text = `${outcomeText('delete', outcome)}${missing}`;
  const gone = kept.filter(({ sequenceNumber }) => !outcome.skippedNumbers.has(sequenceNumber));
  if (outcome.count === 0) say(text);
  else {
    const note =
      gone.length === 1
        ? 'Undo sends it again: it gets a new number.'
        : 'Undo sends them again: they get new numbers.';
    say(`${text} ${note}`, async () => {
      await sendAgain(place, gone);
      await undone();
    });
  }
  return outcome.count;
}

async function keep(place: Place, numbers: readonly number[], signal: AbortSignal): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  for await (const messages of storedMessages(place, numbers, signal)) {
    for (const stored of messages) {
      const { sequenceNumber, deadLetterReason: reason, deadLetterErrorDescription: description } = stored;
      kept.push({ ...sendableOf(stored), sequenceNumber, reason, description });
    }
  }
  // Ended by hand: what was kept until then is not deleted either.
  signal.throwIfAborted();
  return kept;
}

/** Sends the messages again, and dead-letters those that were dead letters. */
async function sendAgain(place: Place, kept: readonly Kept[]): Promise<void> {
  const { path, tab } = place;
  const isDead = isDeadTab(tab);
  let count = 0;
  for (const part of partsOf(kept)) {
    const messages = part.map(({ message }) => message);
    const { sequenceNumbers } = await post<SentAnswer>('messages', { entity: path }, messages);
    count += sequenceNumbers.length;
    if (isDead) await deadLetterAgain(path, part, sequenceNumbers);
  }
  const lost = [...new Set(kept.flatMap((one) => one.lost))];
  const without = lost.length === 0 ? '' : ` Not kept: ${lost.slice(0, 3).join('; ')}.`;
  say(`Sent ${numberText(count)} again to ${spokenPath(path)}, with new numbers.${without}`);
}

async function deadLetterAgain(
  path: string,
  part: readonly Kept[],
  numbers: readonly number[],
): Promise<void> {
  const groups = new Map<
    string,
    Pick<Kept, 'reason' | 'description'> & { readonly sequenceNumbers: number[] }
  >();
  for (const [index, { reason, description }] of part.entries()) {
    const key = JSON.stringify([reason, description]);
    const group = groups.get(key) ?? { reason, description, sequenceNumbers: [] };
    const number = numbers[index];
    if (number !== undefined) group.sequenceNumbers.push(number);
    groups.set(key, group);
  }
  for (const group of groups.values()) {
    const answer = await post<ManagedAnswer>('messages:dead-letter', { entity: path }, group);
    const [skipped] = answer.skipped;
    if (skipped !== undefined) throw new Error(skipped.message);
  }
}

/** Lists that are not too large for one request. */
function* partsOf(kept: readonly Kept[]): Generator<readonly Kept[]> {
  let part: Kept[] = [];
  let bytes = 0;
  for (const one of kept) {
    const size = JSON.stringify(one.message).length;
    if (part.length > 0 && bytes + size > MOST_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(one);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
