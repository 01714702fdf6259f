// The way back of a deletion: the kept messages are sent again, part by part. A part that fails can be tried again, and none is sent twice.

import type { ManagedAnswer, SentAnswer } from '../../../http/control/control-schemas.js';
import { post } from '../../state/api.js';
import { numberText, spokenPath } from '../../state/format.js';
import type { Sendable } from '../../state/sendable.js';
import type { Place } from './read-messages.js';
import { isDeadTab } from './tabs.js';

/** The most bytes of one list that is sent. */
const MOST_BYTES = 512 * 1024;

export type Kept = Sendable & {
  readonly sequenceNumber: number;
  readonly reason: string | undefined;
  readonly description: string | undefined;
};

/** Messages that are sent again, and not yet dead letters again. */
type Group = Pick<Kept, 'reason' | 'description'> & { readonly sequenceNumbers: number[] };

export class WayBack {
  readonly #place: Place;
  readonly #kept: readonly Kept[];
  readonly #unsent: Kept[];
  #notDead: Group[] = [];
  /** Why some are no dead letters again. */
  readonly #problems: string[] = [];

  constructor(place: Place, kept: readonly Kept[]) {
    this.#place = place;
    this.#kept = kept;
    this.#unsent = [...kept];
  }

  /**
   * Sends the messages again, and dead-letters those that were dead letters. Resolves with what was done; after an error it goes on
   * from there.
   */
  async go(): Promise<string> {
    await this.#deadLetter();
    while (this.#unsent.length > 0) {
      await this.#sendPart();
      await this.#deadLetter();
    }
    const { path } = this.#place;
    const lost = [...new Set(this.#kept.flatMap((one) => one.lost))];
    const without = lost.length === 0 ? '' : ` Not kept: ${lost.slice(0, 3).join('; ')}.`;
    const problems = this.#problems.length === 0 ? '' : ` Not dead-lettered: ${this.#problems[0]}`;
    return `Sent ${numberText(this.#kept.length)} again to ${spokenPath(path)}, with new numbers.${without}${problems}`;
  }

  async #sendPart(): Promise<void> {
    const { path, tab } = this.#place;
    const part = firstPart(this.#unsent);
    const messages = part.map(({ message }) => message);
    const { sequenceNumbers } = await post<SentAnswer>('messages', { entity: path }, messages);
    this.#unsent.splice(0, part.length);
    if (isDeadTab(tab)) this.#notDead = groupsOf(part, sequenceNumbers);
  }

  async #deadLetter(): Promise<void> {
    for (const group of [...this.#notDead]) {
      const { skipped } = await post<ManagedAnswer>(
        'messages:dead-letter',
        { entity: this.#place.path },
        group,
      );
      this.#notDead.shift();
      this.#problems.push(...skipped.map(({ message }) => message));
    }
  }
}

/** The messages by reason and description, with their new numbers. */
function groupsOf(part: readonly Kept[], numbers: readonly number[]): Group[] {
  const groups = new Map<string, Group>();
  for (const [index, { reason, description }] of part.entries()) {
    const key = JSON.stringify([reason, description]);
    const group = groups.get(key) ?? { reason, description, sequenceNumbers: [] };
    const number = numbers[index];
    if (number !== undefined) group.sequenceNumbers.push(number);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The first messages, as many as one request takes. */
function firstPart(kept: readonly Kept[]): readonly Kept[] {
  let bytes = 0;
  const end = kept.findIndex(({ message }, index) => {
    bytes += JSON.stringify(message).length;
    return index > 0 && bytes > MOST_BYTES;
  });
  return end < 0 ? kept.slice() : kept.slice(0, end);
}
