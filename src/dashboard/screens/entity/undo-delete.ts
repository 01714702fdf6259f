// A deletion with a way back: the messages are kept before, and sent again.

import { numberText } from '../../state/format.js';
import { attempt, say } from '../../state/said.js';
import { sendableOf } from '../../state/sendable.js';
import { manage, type Progress } from './manage.js';
import { outcomeText } from './outcome.js';
import type { Place } from './read-messages.js';
import { storedMessages } from './stored-messages.js';
import { type Kept, WayBack } from './way-back.js';

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
    const wayBack = new WayBack(place, gone);
    say(`${text} ${note}`, async () => {
      say(await wayBack.go());
      await attempt(undone);
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
