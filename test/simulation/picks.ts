// Chooses the entity, message, lock or session of a command: mostly one that exists, now and then one that does not.

import type {
  Expected,
  ReceiveMode,
  SessionClaim,
  SingleCommand,
} from '../../src/broker/contract/command.js';
import type { Random } from './random.js';
import type { KnownClaim, KnownNumber, Link, Token, WorkloadMemory } from './workload-memory.js';

export type SubscriptionName = { readonly topicName: string; readonly name: string; readonly path: string };

const QUEUES = ['orders', 'Invoices', 'team/audit', 'tiny'] as const;
const TOPICS = ['news', 'Prices/eu'] as const;
const SUBSCRIPTIONS = ['all', 'Reds', 'third'] as const;

export class EntityNames {
  readonly queues: readonly string[];
  readonly topics: readonly string[];
  readonly subscriptions: readonly SubscriptionName[];
  /** In an order in which they can be created. */
  readonly all: readonly string[];

  constructor(random: Random) {
    this.topics = TOPICS.slice(0, random.pick([0, 1, 1, 2]));
    this.queues = QUEUES.slice(0, 1 + random.integer(this.topics.length > 0 ? 2 : QUEUES.length));
    const count = random.pick([1, 2, 3]);
    this.subscriptions = this.topics.flatMap((topicName) =>
      SUBSCRIPTIONS.slice(0, count).map((name) => ({
        topicName,
        name,
        path: `${topicName}/Subscriptions/${name}`,
      })),
    );
    this.all = [...this.queues, ...this.topics, ...this.subscriptions.map(({ path }) => path)];
  }

  /** Where messages can be had. */
  get sources(): readonly string[] {
    return [...this.queues, ...this.subscriptions.map(({ path }) => path)];
  }

  findSubscription(path: string): SubscriptionName | undefined {
    return this.subscriptions.find((one) => one.path === path);
  }
}

/** Two of them differ in case alone. */
export const SESSION_IDS = ['east', 'EAST', '', 'south'] as const;

export const CONNECTION_IDS = [1, 1, 2, 3] as const;

export type EnlistedKind = Extract<
  SingleCommand['kind'],
  | ('send' | 'settle' | 'settle-many' | 'cancel-scheduled' | 'set-session-state')
  | (
      | 'renew-lock'
      | 'renew-session-lock'
      | 'peek'
      | 'get-session-state'
      | 'list-sessions'
      | 'receive-deferred'
    )
>;

/** With the claim under which they can be had. */
type LocksOfOneStore = {
  readonly entityPath: string;
  readonly lockTokens: readonly string[];
  readonly session: SessionClaim | undefined;
};
type NumbersOfOneStore = {
  readonly entityPath: string;
  readonly sequenceNumbers: readonly number[];
  readonly session: SessionClaim | undefined;
};

const UNKNOWN_TOKEN: Token = {
  lockToken: '0'.repeat(32),
  entityPath: 'orders',
  number: 0,
  session: undefined,
};

export class Picks {
  readonly #random: Random;
  readonly #memory: WorkloadMemory;
  readonly #names: EntityNames;
  /** The queue or topic that commands are to be about, if there is anything of it. */
  #focus: string | undefined;

  constructor(random: Random, memory: WorkloadMemory, names: EntityNames) {
    this.#random = random;
    this.#memory = memory;
    this.#names = names;
  }

  /** What is made then is about the entity of this path, if it is given and something is known of it. */
  near<T>(entityPath: string | undefined, make: () => T): T {
    this.#focus = entityPath === undefined ? undefined : topOf(entityPath);
    const made = make();
    this.#focus = undefined;
    return made;
  }

  /** Mostly a kind of command that can succeed there. */
  possible(kind: EnlistedKind): EnlistedKind {
    const { tokens, numbers, claims } = this.#memory;
    const known = {
      settle: tokens,
      'settle-many': tokens,
      'renew-lock': tokens,
      'cancel-scheduled': numbers.filter(({ state }) => state === 'scheduled'),
      'receive-deferred': numbers.filter(({ state }) => state === 'deferred'),
      'set-session-state': claims.filter((claim) => this.#memory.isHolding(claim)),
      'get-session-state': claims.filter((claim) => this.#memory.isHolding(claim)),
      'renew-session-lock': claims.filter((claim) => this.#memory.isHolding(claim)),
    }[kind as string];
    if (known === undefined || known.some((one) => this.#isNear(one))) return kind;
    return this.#random.chance(0.1) ? kind : 'send';
  }

  #isNear({ entityPath }: { readonly entityPath: string }): boolean {
    return this.#focus === undefined || topOf(entityPath) === this.#focus;
  }

  #nearOf<T extends { readonly entityPath: string }>(all: readonly T[]): readonly T[] {
    if (this.#focus === undefined) return all;
    const near = all.filter((one) => this.#isNear(one));
    return near.length > 0 ? near : all;
  }

  /** Of a queue, now and then of a topic; in some case. */
  name(): string {
    const { queues, all } = this.#names;
    return this.#inSomeCase(this.#random.pick(this.#random.chance(0.97) ? queues : all));
  }

  /** Of a queue or a topic. */
  destination(): string {
    const { queues, topics } = this.#names;
    if (this.#focus !== undefined) return this.#inSomeCase(this.#focus);
    return this.#inSomeCase(this.#random.pick([...queues, ...topics, ...topics]));
  }

  #inSomeCase(name: string): string {
    return this.#random.pick([name, name, name.toUpperCase(), name.toLowerCase()]);
  }

  path(): string {
    const { all, sources } = this.#names;
    const known = this.#inSomeCase(this.#random.pick(this.#random.chance(0.9) ? sources : all));
    const name = this.#random.chance(0.03) ? 'nowhere' : known;
    if (this.#random.chance(0.75)) return name;
    if (this.#random.chance(0.3)) {
      const owner = this.#random.chance(0.3) ? this.destination() : name;
      return `${owner}/$Transfer/$DeadLetterQueue`;
    }
    return name + this.#random.pick(['/$DeadLetterQueue', '/$deadletterqueue']);
  }

  /** Mostly where it comes from. */
  pathOf({ entityPath }: { readonly entityPath: string }): string {
    return this.#random.chance(0.95) ? entityPath : this.path();
  }

  isOfSessions(entityPath: string): boolean {
    return this.#memory.isOfSessions(entityPath);
  }

  /** What a put finds: mostly something. */
  expected(): Expected {
    return this.#random.pick([undefined, undefined, undefined, 'present', 'absent']);
  }

  /** Of a list. */
  page(): { readonly skip: number; readonly maxCount: number } {
    const skip = this.#random.pick([0, 0, 0, 0, 1, 2, -1]);
    return { skip, maxCount: this.#random.pick([1, 2, 100, 100, 100, 0]) };
  }

  receiveMode(): ReceiveMode {
    return this.#random.chance(0.85) ? 'peek-lock' : 'receive-and-delete';
  }

  /** Of a queue that requires sessions, if there is one. */
  sessionPath(): string {
    const names = this.#names.sources.filter((name) => this.#memory.isOfSessions(name));
    return names.length === 0 || this.#random.chance(0.05) ? this.path() : this.#random.pick(names);
  }

  /** Mostly one that holds, of this store and session if they are given. */
  claim(wanted?: { readonly entityPath: string; readonly sessionId: string | undefined }): KnownClaim {
    const claims = this.#nearOf(this.#memory.claims);
    const fitting = claims.filter(({ entityPath, sessionId }) => {
      if (wanted === undefined) return true;
      const isThere = entityPath.toLowerCase() === wanted.entityPath.toLowerCase();
      return isThere && sessionId === (wanted.sessionId ?? sessionId);
    });
    const holding = fitting.filter((claim) => this.#memory.isHolding(claim));
    if (holding.length > 0 && this.#random.chance(0.9)) return this.#random.pick(holding);
    return fitting.length > 0 ? this.#random.pick(fitting) : this.anyClaim();
  }

  /** Now and then the claim of another connection, or to another session. */
  bent(claim: SessionClaim): SessionClaim {
    if (this.#random.chance(0.9)) return claim;
    if (this.#random.chance(0.5)) return { ...claim, connectionId: this.#random.pick(CONNECTION_IDS) };
    return { ...claim, sessionId: this.#random.pick(SESSION_IDS) };
  }

  anyClaim(): KnownClaim {
    const { claims } = this.#memory;
    if (claims.length > 0) return this.#random.pick(claims);
    return { entityPath: this.path(), sessionId: '', connectionId: 1, linkId: 0 };
  }

  /** Where sessions are required mostly those of their holders. */
  link(): Link | undefined {
    const { links } = this.#memory;
    const holders = links.filter(({ session }) => session !== undefined);
    if (holders.length > 0 && this.#random.chance(0.7)) return this.#random.pick(holders);
    return links.length === 0 ? undefined : this.#random.pick(links);
  }

  /** Of a link that is, in most cases, not chosen again. */
  linkToDetach(): number {
    const { links } = this.#memory;
    const link = this.#random.chance(0.3) ? this.link() : links[this.#random.integer(links.length)];
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
    const sameStore = this.#nearOf(this.#memory.tokens).filter(
      (token) => token.entityPath === first.entityPath,
    );
    const others = Array.from({ length: this.#random.integer(3) }, () =>
      this.#random.chance(0.9) && sameStore.length > 0 ? this.#random.pick(sameStore) : this.#token(),
    );
    const lockTokens = this.#random.chance(0.02) ? [] : [first, ...others].map((token) => token.lockToken);
    const session = first.session === undefined ? undefined : this.claim({ ...first, ...first.session });
    return { entityPath: this.pathOf(first), lockTokens, session };
  }

  /** One or some numbers, mostly of messages that are in this state. */
  numbers(state: KnownNumber['state']): NumbersOfOneStore {
    const known = this.#nearOf(this.#memory.numbers.filter((one) => one.state === state));
    if (known.length === 0) {
      const sequenceNumbers = [this.#random.integer(20)];
      return { entityPath: this.path(), sequenceNumbers, session: this.claim() };
    }
    const reachable = known.filter((one) => this.#isReachable(one));
    const first = this.#random.pick(reachable.length > 0 && this.#random.chance(0.8) ? reachable : known);
    const sameStore = known.filter(
      ({ entityPath, sessionId }) => entityPath === first.entityPath && sessionId === first.sessionId,
    );
    const others = Array.from({ length: this.#random.pick([0, 0, 0, 1, 2]) }, () =>
      this.#random.chance(0.9) ? this.#random.pick(sameStore).number : this.number(),
    );
    if (this.#random.chance(0.7)) {
      this.#memory.numbers = this.#memory.numbers.filter((one) => one !== first);
    }
    const sequenceNumbers = this.#random.chance(0.02) ? [] : [first.number, ...others];
    const session = this.#memory.isOfSessions(first.entityPath) ? this.claim(first) : undefined;
    return { entityPath: this.pathOf(first), sequenceNumbers, session };
  }

  /** Where sessions are required: by the holder of its session. */
  #isReachable({ entityPath, sessionId }: KnownNumber): boolean {
    if (!this.#memory.isOfSessions(entityPath)) return true;
    return this.#memory.claims.some(
      (claim) =>
        claim.sessionId === sessionId &&
        claim.entityPath.toLowerCase() === entityPath.toLowerCase() &&
        this.#memory.isHolding(claim),
    );
  }

  number(): number {
    const { numbers } = this.#memory;
    if (numbers.length === 0) return this.#random.integer(20);
    return this.#random.pick(numbers).number + this.#random.pick([0, 0, 0, 1]);
  }

  #token(): Token {
    const tokens = this.#nearOf(this.#memory.tokens);
    if (tokens.length === 0 || this.#random.chance(0.03)) return UNKNOWN_TOKEN;
    return this.#random.pick(this.#random.chance(0.8) ? tokens.slice(-6) : tokens);
  }
}

/** Of a subscription its topic, of a dead-letter queue its queue. */
function topOf(entityPath: string): string {
  const path = entityPath.toLowerCase().replace(/\/\$deadletterqueue$/, '');
  return path.split('/subscriptions/')[0] ?? path;
}
