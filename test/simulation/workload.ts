// Makes up commands. Each seed has its own habits: which kinds of command it uses, how often, and how time passes.

import type { Turn } from '../../src/broker/broker.js';
import type { Command, Outcome } from '../../src/broker/command.js';
import {
  describeQueue,
  type EntityStatus,
  type QueueDescription,
} from '../../src/broker/entity/queue-description.js';
import type { Limits } from '../../src/broker/limits.js';
import type { NewMessage, PropertyChange } from '../../src/broker/message/message-properties.js';
import type { Random } from './random.js';

type Kind = Command['kind'];
type Link = { readonly id: number; readonly entityPath: string; deliveryLimit: number };
type Token = { readonly lockToken: string; readonly entityPath: string };

/** Small enough to be met often. */
export const SIMULATION_LIMITS: Limits = {
  maxMessageSizeBytes: 1000,
  maxMessageSizeCeilingBytes: 512 * 1024,
  maxBatchCount: 4,
};

const NAMES = ['orders', 'Invoices', 'team/audit', 'tiny'] as const;
const KINDS: readonly (readonly [kind: Kind, weight: number])[] = [
  ['put-queue', 0.7],
  ['find-entity', 0.2],
  ['attach-sender', 0.3],
  ['attach-receiver', 1.5],
  ['detach', 0.7],
  ['set-credit', 12],
  ['send', 9],
  ['settle', 15],
  ['renew-lock', 2],
  ['tick', 3],
];
const OUTCOMES: readonly (readonly [kind: Outcome['kind'], weight: number])[] = [
  ['complete', 3],
  ['abandon', 3],
  ['release', 1],
  ['dead-letter', 2],
  ['defer', 0.5],
];
const STATUSES: readonly (readonly [status: EntityStatus, weight: number])[] = [
  ['Active', 10],
  ['Disabled', 1],
  ['SendDisabled', 1],
  ['ReceiveDisabled', 1],
];
const UNKNOWN_TOKEN: Token = { lockToken: '0'.repeat(32), entityPath: 'orders' };
const REMEMBERED_TOKENS = 40;
/** Three of these fill the smallest queue. */
const LARGE_CONTENT = new Uint8Array(400 * 1024);

export class Workload {
  readonly #random: Random;
  readonly #kinds: readonly (readonly [Kind, number])[];
  readonly #outcomes: readonly (readonly [Outcome['kind'], number])[];
  readonly #names: readonly string[];
  readonly #lockDurations: readonly number[];
  readonly #timeSteps: readonly number[];
  readonly #toCreate: string[];
  #links: Link[] = [];
  #tokens: Token[] = [];
  #lastLinkId = 0;
  #sentCount = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#kinds = this.#habits(KINDS);
    this.#outcomes = this.#habits(OUTCOMES);
    this.#names = NAMES.slice(0, 1 + random.integer(NAMES.length));
    this.#toCreate = [...this.#names];
    const usual = random.pick([2, 20, 1000, 60_000]);
    this.#lockDurations = [usual, usual, 3 * usual, 300_000];
    const rareJump = [...Array<number>(30).fill(0), 2 * usual];
    this.#timeSteps = random.pick([[0], [0, 0, 0, usual / 10], rareJump, [usual / 2]]).map(Math.ceil);
  }

  /** The time of the next command. It may jump to the next deadline, or stop just before it. */
  nextTime(now: number, nextDeadline: number): number {
    const canJump = Number.isFinite(nextDeadline) && this.#random.chance(0.03);
    if (!canJump) return now + this.#random.pick(this.#timeSteps);
    return Math.max(now, nextDeadline - this.#random.integer(2));
  }

  next(): Command {
    const toCreate = this.#toCreate.pop();
    if (toCreate !== undefined) return { kind: 'put-queue', description: this.#plainDescription(toCreate) };
    const kind = this.#possible(this.#random.pickWeighted(this.#kinds));
    switch (kind) {
      case 'put-queue':
        return { kind, description: this.#description() };
      case 'find-entity':
        return { kind, entityPath: this.#path() };
      case 'attach-sender':
        return { kind, linkId: this.#newLinkId(), entityPath: this.#path() };
      case 'attach-receiver':
        return {
          kind,
          linkId: this.#newLinkId(),
          entityPath: this.#path(),
          receiveMode: this.#random.chance(0.85) ? 'peek-lock' : 'receive-and-delete',
        };
      case 'detach':
        return { kind, linkId: this.#takeLink() };
      case 'set-credit':
        return this.#setCredit();
      case 'send':
        return { kind, entityPath: this.#sendPath(), messages: this.#messages() };
      case 'settle':
        return this.#settle();
      case 'renew-lock':
        return this.#renew();
      case 'tick':
        return { kind };
    }
  }

  /** Mostly something that has a chance to succeed: nothing is settled before it is received. */
  #possible(kind: Kind): Kind {
    if (this.#random.chance(0.1)) return kind;
    if ((kind === 'settle' || kind === 'renew-lock') && this.#tokens.length === 0)
      return this.#possible('set-credit');
    if (kind === 'set-credit' && this.#links.length === 0) return 'attach-receiver';
    return kind;
  }

  learn(command: Command, { result, effects }: Turn): void {
    if (command.kind === 'attach-receiver' && result.kind === 'entity') {
      this.#links.push({ id: command.linkId, entityPath: command.entityPath, deliveryLimit: 0 });
    }
    for (const effect of effects) {
      if (effect.kind === 'deliver') this.#learnToken(effect.linkId, effect.delivery.lockToken);
      if (effect.kind === 'detach') this.#links = this.#links.filter((link) => link.id !== effect.linkId);
    }
  }

  /** Links are gone with the process; tokens are remembered, to be refused. */
  restart(): void {
    this.#links = [];
    this.#lastLinkId = 0;
  }

  /** Most of the choices, rarely without a frequent one; some of them more often than usual and some less. */
  #habits<T>(choices: readonly (readonly [T, number])[]): readonly (readonly [T, number])[] {
    const chosen = choices.filter(([, weight]) => this.#random.chance(weight > 1 ? 0.95 : 0.7));
    if (chosen.length === 0) return choices;
    return chosen.map(([choice, weight]) => [choice, weight * this.#random.pick([0.3, 1, 3])] as const);
  }

  #learnToken(linkId: number, lockToken: string | undefined): void {
    const link = this.#links.find((one) => one.id === linkId);
    if (link === undefined || lockToken === undefined) return;
    this.#tokens.push({ lockToken, entityPath: link.entityPath });
    if (this.#tokens.length > REMEMBERED_TOKENS) this.#tokens.shift();
  }

  #newLinkId(): number {
    this.#lastLinkId += 1;
    return this.#lastLinkId;
  }

  #takeLink(): number {
    if (this.#links.length === 0 || this.#random.chance(0.1)) return this.#random.integer(1000);
    const link = this.#random.pick(this.#links);
    if (this.#random.chance(0.9)) this.#links = this.#links.filter((one) => one !== link);
    return link.id;
  }

  #setCredit(): Command {
    const link = this.#links.length === 0 ? undefined : this.#random.pick(this.#links);
    const deliveryLimit = Math.max(
      0,
      (link?.deliveryLimit ?? 0) + this.#random.pick([-2, 0, 1, 1, 1, 2, 2, 5]),
    );
    if (link !== undefined) link.deliveryLimit = deliveryLimit;
    return { kind: 'set-credit', linkId: link?.id ?? 999, deliveryLimit, drain: this.#random.chance(0.1) };
  }

  #settle(): Command {
    const token = this.#token();
    const { lockToken } = token;
    if (this.#random.chance(0.8)) this.#tokens = this.#tokens.filter((one) => one !== token);
    return { kind: 'settle', entityPath: this.#pathOf(token), lockToken, outcome: this.#outcome() };
  }

  #renew(): Command {
    const first = this.#token();
    const sameQueue = this.#tokens.filter((token) => token.entityPath === first.entityPath);
    const others = Array.from({ length: this.#random.integer(3) }, () =>
      this.#random.chance(0.9) && sameQueue.length > 0 ? this.#random.pick(sameQueue) : this.#token(),
    );
    const lockTokens = this.#random.chance(0.02) ? [] : [first, ...others].map((token) => token.lockToken);
    return { kind: 'renew-lock', entityPath: this.#pathOf(first), lockTokens };
  }

  /** Mostly where the token comes from. */
  #pathOf({ entityPath }: Token): string {
    return this.#random.chance(0.95) ? entityPath : this.#path();
  }

  #path(): string {
    const name = this.#random.chance(0.03) ? 'nowhere' : this.#name();
    if (this.#random.chance(0.75)) return name;
    return name + this.#random.pick(['/$DeadLetterQueue', '/$deadletterqueue']);
  }

  #sendPath(): string {
    return this.#random.chance(0.05) ? this.#path() : this.#name();
  }

  #name(): string {
    const name = this.#random.pick(this.#names);
    return this.#random.pick([name, name, name.toUpperCase(), name.toLowerCase()]);
  }

  #plainDescription(name: string): QueueDescription {
    return describeQueue(name, {
      lockDurationMs: this.#random.pick(this.#lockDurations),
      maxDeliveryCount: this.#random.pick([1, 1, 2, 3, 10]),
      maxMessageSizeInKilobytes: this.#random.pick([undefined, undefined, 1, 512]),
      maxSizeInMegabytes: 1,
    });
  }

  #description(): QueueDescription {
    const plain = this.#plainDescription(this.#name());
    const wrong: Partial<QueueDescription> = this.#random.pick([
      { name: 'orders/$DeadLetterQueue' },
      { name: '' },
      { maxDeliveryCount: 0 },
      { lockDurationMs: 0 },
      { lockDurationMs: 300_001 },
      { maxMessageSizeInKilobytes: 513 },
      { requiresDuplicateDetection: true },
      { requiresSession: true },
      { forwardTo: 'orders' },
    ]);
    return {
      ...plain,
      status: this.#random.pickWeighted(STATUSES),
      ...(this.#random.chance(0.2) ? wrong : {}),
    };
  }

  #messages(): readonly NewMessage[] {
    const count = this.#random.pick([0, 1, 1, 1, 1, 1, 2, 3, 4, 5]);
    return Array.from({ length: count }, () => this.#message());
  }

  #message(): NewMessage {
    this.#sentCount += 1;
    return {
      content: this.#random.chance(0.03) ? LARGE_CONTENT : this.#content(),
      hasMessageId: this.#random.chance(0.8),
      sessionId: this.#random.chance(0.8) ? undefined : 'basket',
    };
  }

  /** Tells which message it belongs to; now and then too large for some queues, or for a batch. */
  #content(): Uint8Array {
    const text = `message ${this.#sentCount}`;
    const padding = this.#random.pick([0, 0, 0, 0, 0, 0, 500, 1200]);
    return new TextEncoder().encode(text.padEnd(text.length + padding, '.'));
  }

  #token(): Token {
    if (this.#tokens.length === 0 || this.#random.chance(0.03)) return UNKNOWN_TOKEN;
    const isRecent = this.#random.chance(0.8);
    return this.#random.pick(isRecent ? this.#tokens.slice(-6) : this.#tokens);
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
