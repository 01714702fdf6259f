// Chooses what a command is about: mostly something that is there, now and then something that is not.

import type { Random } from './random.js';
import type { KnownNumber, Link, Token, WorkloadMemory } from './workload-memory.js';

export type LocksOfOneStore = { readonly entityPath: string; readonly lockTokens: readonly string[] };
export type NumbersOfOneStore = {
  readonly entityPath: string;
  readonly sequenceNumbers: readonly number[];
};

const UNKNOWN_TOKEN: Token = { lockToken: '0'.repeat(32), entityPath: 'orders', number: 0 };

export class Picks {
  readonly #random: Random;
  readonly #memory: WorkloadMemory;
  readonly #names: readonly string[];

  constructor(random: Random, memory: WorkloadMemory, names: readonly string[]) {
    this.#random = random;
    this.#memory = memory;
    this.#names = names;
  }

  /** In some case. */
  name(): string {
    const name = this.#random.pick(this.#names);
    return this.#random.pick([name, name, name.toUpperCase(), name.toLowerCase()]);
  }

  path(): string {
    const name = this.#random.chance(0.03) ? 'nowhere' : this.name();
    if (this.#random.chance(0.75)) return name;
    return name + this.#random.pick(['/$DeadLetterQueue', '/$deadletterqueue']);
  }

  /** Mostly where it comes from. */
  pathOf({ entityPath }: { readonly entityPath: string }): string {
    return this.#random.chance(0.95) ? entityPath : this.path();
  }

  link(): Link | undefined {
    const { links } = this.#memory;
    return links.length === 0 ? undefined : this.#random.pick(links);
  }

  /** Of a link that is, in most cases, not chosen again. */
  linkToDetach(): number {
    const link = this.link();
    if (link === undefined || this.#random.chance(0.1)) return this.#random.integer(1000);
    if (this.#random.chance(0.9)) {
      this.#memory.links = this.#memory.links.filter((one) => one !== link);
    }
    return link.id;
  }

  /** Mostly one that is not chosen again, since it has been used. */
  tokenToSettle(): Token {
    const token = this.#token();
    if (this.#random.chance(0.8)) {
      this.#memory.tokens = this.#memory.tokens.filter((one) => one !== token);
    }
    return token;
  }

  tokensOfOneStore(): LocksOfOneStore {
    const first = this.#token();
    const sameStore = this.#memory.tokens.filter((token) => token.entityPath === first.entityPath);
    const others = Array.from({ length: this.#random.integer(3) }, () =>
      this.#random.chance(0.9) && sameStore.length > 0 ? this.#random.pick(sameStore) : this.#token(),
    );
    const lockTokens = this.#random.chance(0.02) ? [] : [first, ...others].map((token) => token.lockToken);
    return { entityPath: this.pathOf(first), lockTokens };
  }

  /** One or some numbers, mostly of messages that are in this state. */
  numbers(state: KnownNumber['state']): NumbersOfOneStore {
    const known = this.#memory.numbers.filter((one) => one.state === state);
    if (known.length === 0) return { entityPath: this.path(), sequenceNumbers: [this.#random.integer(20)] };
    const first = this.#random.pick(known);
    const sameStore = known.filter(({ entityPath }) => entityPath === first.entityPath);
    const others = Array.from({ length: this.#random.pick([0, 0, 0, 1, 2]) }, () =>
      this.#random.chance(0.9) ? this.#random.pick(sameStore).number : this.number(),
    );
    if (this.#random.chance(0.7)) {
      this.#memory.numbers = this.#memory.numbers.filter((one) => one !== first);
    }
    const sequenceNumbers = this.#random.chance(0.02) ? [] : [first.number, ...others];
    return { entityPath: this.pathOf(first), sequenceNumbers };
  }

  number(): number {
    const { numbers } = this.#memory;
    if (numbers.length === 0) return this.#random.integer(20);
    return this.#random.pick(numbers).number + this.#random.pick([0, 0, 0, 1]);
  }

  #token(): Token {
    const { tokens } = this.#memory;
    if (tokens.length === 0 || this.#random.chance(0.03)) return UNKNOWN_TOKEN;
    return this.#random.pick(this.#random.chance(0.8) ? tokens.slice(-6) : tokens);
  }
}
