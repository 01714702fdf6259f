// Makes up commands. Each seed has its own habits: which kinds of command it uses, how often, and how time passes.

import type { Turn } from '../../src/broker/broker.js';
import type { Command, Outcome, ReceiveMode } from '../../src/broker/command.js';
import type { PropertyChange } from '../../src/broker/message/message-properties.js';
import { DescriptionMaker } from './description-maker.js';
import { MessageMaker } from './message-maker.js';
import { Pace } from './pace.js';
import { Picks } from './picks.js';
import type { Random } from './random.js';
import type { Conditions } from './reference-turn.js';
import { WorkloadMemory } from './workload-memory.js';

type Kind = Command['kind'];
type KindAboutMessages =
  | ('settle' | 'settle-many' | 'renew-lock')
  | ('peek' | 'receive-deferred' | 'cancel-scheduled' | 'delete-messages');
type Weighted<T> = readonly (readonly [choice: T, weight: number])[];

const NAMES = ['orders', 'Invoices', 'team/audit', 'tiny'] as const;
const KINDS: Weighted<Kind> = [
  ['put-queue', 0.7],
  ['delete-queue', 0.1],
  ['find-entity', 0.2],
  ['get-queue-info', 0.2],
  ['attach-sender', 0.3],
  ['attach-receiver', 1.5],
  ['detach', 0.7],
  ['set-credit', 12],
  ['send', 9],
  ['settle', 13],
  ['settle-many', 2],
  ['renew-lock', 2],
  ['peek', 1.5],
  ['receive-deferred', 3],
  ['cancel-scheduled', 1.5],
  ['delete-messages', 0.5],
  ['tick', 3],
];
const OUTCOMES: Weighted<Outcome['kind']> = [
  ['complete', 3],
  ['abandon', 3],
  ['release', 1],
  ['dead-letter', 2],
  ['defer', 2],
];

export class Workload {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #messages: MessageMaker;
  readonly #descriptions: DescriptionMaker;
  readonly #kinds: Weighted<Kind>;
  readonly #outcomes: Weighted<Outcome['kind']>;
  readonly #names: readonly string[];
  readonly #memory = new WorkloadMemory();
  readonly #picks: Picks;
  #now = 0;
  #lastLinkId = 0;

  constructor(random: Random, { limits }: Conditions) {
    this.#random = random;
    this.#pace = new Pace(random);
    this.#messages = new MessageMaker(random, this.#pace, limits);
    this.#descriptions = new DescriptionMaker(random, this.#pace, limits);
    this.#kinds = this.#habits(KINDS);
    this.#outcomes = this.#habits(OUTCOMES);
    this.#names = NAMES.slice(0, 1 + random.integer(NAMES.length));
    for (const name of this.#names) this.#memory.missing.add(name);
    this.#picks = new Picks(random, this.#memory, this.#names);
  }

  /** The time of the next command. */
  nextTime(now: number, nextDeadline: number): number {
    return this.#pace.nextTime(now, nextDeadline);
  }

  next(now: number): Command {
    this.#now = now;
    const missing = this.#takeMissing();
    if (missing !== undefined) {
      return { kind: 'put-queue', description: this.#descriptions.plain(missing) };
    }
    return this.#command(this.#possible(this.#random.pickWeighted(this.#kinds)));
  }

  learn(command: Command, turn: Turn): void {
    this.#memory.learn(command, turn, this.#now);
  }

  restart(): void {
    this.#memory.restart();
    this.#lastLinkId = 0;
  }

  /** Most of the choices, rarely without a frequent one; some of them more often than usual and some less. */
  #habits<T>(choices: Weighted<T>): Weighted<T> {
    const chosen = choices.filter(([, weight]) => this.#random.chance(weight > 1 ? 0.95 : 0.7));
    if (chosen.length === 0) return choices;
    return chosen.map(([choice, weight]) => [choice, weight * this.#random.pick([0.3, 1, 3])] as const);
  }

  /** A queue that was deleted comes again, soon. */
  #takeMissing(): string | undefined {
    const known = [...this.#memory.missing].map((missing) =>
      this.#names.find((name) => name.toLowerCase() === missing.toLowerCase()),
    );
    this.#memory.missing.clear();
    const [first, ...others] = known.filter((name) => name !== undefined);
    for (const name of others) this.#memory.missing.add(name);
    return first;
  }

  /** Mostly something that has a chance to succeed: nothing is settled before it is received. */
  #possible(kind: Kind): Kind {
    if (this.#random.chance(0.1)) return kind;
    const { tokens, links, numbers } = this.#memory;
    const needsToken = kind === 'settle' || kind === 'settle-many' || kind === 'renew-lock';
    if (needsToken && tokens.length === 0) return this.#possible('set-credit');
    if (kind === 'set-credit' && links.length === 0) return 'attach-receiver';
    if (kind === 'receive-deferred' && numbers.length === 0) return 'peek';
    if (kind === 'cancel-scheduled' && numbers.length === 0) return 'send';
    return kind;
  }

  #command(kind: Kind): Command {
    switch (kind) {
      case 'put-queue': {
        const name = this.#picks.name();
        const description = this.#descriptions.changed(name, this.#memory.descriptionOf(name));
        return { kind, description };
      }
      case 'delete-queue':
      case 'get-queue-info':
        return { kind, name: this.#random.chance(0.05) ? 'nowhere' : this.#picks.name() };
      case 'find-entity':
        return { kind, entityPath: this.#picks.path() };
      case 'attach-sender':
        return { kind, linkId: this.#newLinkId(), entityPath: this.#picks.path() };
      case 'attach-receiver': {
        const receiveMode = this.#receiveMode();
        return { kind, linkId: this.#newLinkId(), entityPath: this.#picks.path(), receiveMode };
      }
      case 'detach':
        return { kind, linkId: this.#picks.linkToDetach() };
      case 'set-credit':
        return this.#setCredit();
      case 'send': {
        const entityPath = this.#random.chance(0.05) ? this.#picks.path() : this.#picks.name();
        return { kind, entityPath, messages: this.#messages.messages(this.#now) };
      }
      case 'tick':
        return { kind };
      default:
        return this.#aboutMessages(kind);
    }
  }

  /** Commands about locks and messages that the workload may have heard of. */
  #aboutMessages(kind: KindAboutMessages): Command {
    switch (kind) {
      case 'settle':
        return this.#settle();
      case 'settle-many': {
        const locks = this.#picks.tokensOfOneStore();
        return { kind, ...locks, outcome: this.#outcome() };
      }
      case 'renew-lock':
        return { kind, ...this.#picks.tokensOfOneStore() };
      case 'peek':
        return this.#peek();
      case 'receive-deferred':
        return { kind, ...this.#picks.numbers('deferred'), receiveMode: this.#receiveMode() };
      case 'cancel-scheduled':
        return { kind, ...this.#picks.numbers('scheduled') };
      case 'delete-messages':
        return {
          kind,
          entityPath: this.#picks.path(),
          maxCount: this.#random.pick([0, 1, 2, 5, 1000]),
          enqueuedBefore: this.#pace.cutoff(this.#now),
        };
    }
  }

  #newLinkId(): number {
    this.#lastLinkId += 1;
    return this.#lastLinkId;
  }

  #setCredit(): Command {
    const link = this.#picks.link();
    const change = this.#random.pick([-2, 0, 1, 1, 1, 2, 2, 5]);
    const deliveryLimit = Math.max(0, (link?.deliveryLimit ?? 0) + change);
    if (link !== undefined) link.deliveryLimit = deliveryLimit;
    return { kind: 'set-credit', linkId: link?.id ?? 999, deliveryLimit, drain: this.#random.chance(0.1) };
  }

  #settle(): Command {
    const token = this.#picks.tokenToSettle();
    const { lockToken } = token;
    return { kind: 'settle', entityPath: this.#picks.pathOf(token), lockToken, outcome: this.#outcome() };
  }

  #peek(): Command {
    const isFromStart = this.#random.chance(0.6);
    return {
      kind: 'peek',
      entityPath: this.#picks.path(),
      fromSequenceNumber: isFromStart ? this.#random.pick([0, 1, 1, 5]) : this.#picks.number(),
      maxCount: this.#random.pick([-1, 0, 1, 2, 10, 10, 1_000_000]),
    };
  }

  #receiveMode(): ReceiveMode {
    return this.#random.chance(0.85) ? 'peek-lock' : 'receive-and-delete';
  }

  #outcome(): Outcome {
    const kind = this.#random.pickWeighted(this.#outcomes);
    if (kind === 'complete' || kind === 'release') return { kind };
    return { kind, changes: this.#changes() };
  }

  #changes(): readonly PropertyChange[] {
    if (this.#random.chance(0.6)) return [];
    return Array.from({ length: 1 + this.#random.integer(2) }, () => ({
      name: this.#random.pick(['attempt', 'by', 'DeadLetterReason']),
      value: this.#random.chance(0.5)
        ? `value ${this.#random.integer(3)}`
        : Uint8Array.of(this.#random.integer(256), 1),
    }));
  }
}
