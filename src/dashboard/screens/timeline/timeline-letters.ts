// A letter and a colour for the messages that belong together. A group keeps both while it is in view.

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
/** The colours are `--hue-0` and so on. */
const HUES = 6;
/** Each letter comes in each colour. */
const MOST = LETTERS.length * HUES;

export type Badge = { readonly letter: string; readonly hue: number };

export class TimelineLetters {
  /** The index of the badge of each group, those that were seen last at the end. */
  readonly #given = new Map<string, number>();

  /** The badges of the groups that are in view. Groups beyond their number get none. */
  assign(groups: Iterable<string>): ReadonlyMap<string, Badge> {
    const wanted = new Set<string>();
    for (const group of groups) if (wanted.size < MOST) wanted.add(group);
    for (const group of wanted) {
      const known = this.#given.get(group);
      const index = known ?? this.#free(wanted);
      this.#given.delete(group);
      this.#given.set(group, index);
    }
    return new Map([...wanted].map((group) => [group, badgeOf(this.#given.get(group) ?? 0)]));
  }

  /** A badge that nobody has, or the one of the group that has been out of view for longest. */
  #free(wanted: ReadonlySet<string>): number {
    if (this.#given.size < MOST) return this.#given.size;
    for (const [group, index] of this.#given) {
      if (wanted.has(group)) continue;
      this.#given.delete(group);
      return index;
    }
    return 0;
  }
}

function badgeOf(index: number): Badge {
  const round = Math.floor(index / LETTERS.length);
  return { letter: LETTERS[index % LETTERS.length] ?? '', hue: (index + round) % HUES };
}
