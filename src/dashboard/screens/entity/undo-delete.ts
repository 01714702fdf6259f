// The way back after a deletion: the messages are kept before, and sent again.

import type { ManagedAnswer, RawMessageAnswer, SentAnswer } from '../../../http/control/control-schemas.js';
import { get, post } from '../../state/api.js';
import { numberText, spokenPath } from '../../state/format.js';
import { say } from '../../state/said.js';
import { type Sendable, sendableOf } from '../../state/sendable.js';
import { type Place, storeOf } from './read-messages.js';
import { isDeadTab } from './tabs.js';

/** Looks at a time. */
const AT_ONCE = 8;
/** The most bytes of one list that is sent. */
const MOST_BYTES = 512 * 1024;

type Kept = Sendable & {
  readonly sequenceNumber: number;
  readonly reason: string | undefined;
  readonly description: string | undefined;
};

/** Reads the messages whole; those that are gone are left out. */
export async function keep(place: Place, numbers: readonly number[]): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  for (let at = 0; at < numbers.length; at += AT_ONCE) {
    const looks = numbers
      .slice(at, at + AT_ONCE)
      .map((number) =>
        get<RawMessageAnswer>(`messages/${number}`, { entity: storeOf(place) }).catch(() => undefined),
      );
    for (const stored of await Promise.all(looks)) {
      if (stored === undefined) continue;
      const { deadLetterReason: reason, deadLetterErrorDescription: description } = stored;
      kept.push({ ...sendableOf(stored), sequenceNumber: stored.sequenceNumber, reason, description });
    }
  }
  return kept;
}

/** Sends the messages again, and dead-letters those that were dead letters. */
export async function sendAgain(place: Place, kept: readonly Kept[]): Promise<void> {
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
