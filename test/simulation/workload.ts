// Makes up commands. Each seed has its own habits: which kinds of command it uses, how often, and how time passes.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import { DescriptionMaker } from './description-maker.js';
import { drawHabits, type Weighted } from './habits.js';
import { MessageCommands } from './message-commands.js';
import { MessageMaker } from './message-maker.js';
import { Pace } from './pace.js';
import { Picks } from './picks.js';
import type { Random } from './random.js';
import type { Conditions } from './reference-turn.js';
import { SessionCommands } from './session-commands.js';
import { type Link, WorkloadMemory } from './workload-memory.js';

type Kind = Command['kind'];

const NAMES = ['orders', 'Invoices', 'team/audit', 'tiny'] as const;
const KINDS: Weighted<Kind> = [
  ['put-queue', 0.7],
  ['delete-queue', 0.1],
  ['find-entity', 0.2],
  ['get-queue-info', 0.2],
  ['attach-sender', 0.3],
  ['attach-receiver', 1.5],
  ['accept-session', 1.5],
  ['detach', 1],
  ['set-credit', 12],
  ['send', 9],
  ['settle', 13],
  ['settle-many', 2],
  ['renew-lock', 2],
  ['peek', 1.5],
  ['receive-deferred', 4],
  ['cancel-scheduled', 1.5],
  ['delete-messages', 0.8],
  ['renew-session-lock', 1.5],
  ['get-session-state', 0.7],
  ['set-session-state', 1.5],
  ['list-sessions', 0.5],
  ['tick', 3],
];
export class Workload {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #messages: MessageMaker;
  readonly #descriptions: DescriptionMaker;
  readonly #kinds: Weighted<Kind>;
  readonly #names: readonly string[];
  readonly #memory = new WorkloadMemory();
  readonly #picks: Picks;
  readonly #sessions: SessionCommands;
  readonly #aboutMessages: MessageCommands;
  #now = 0;
  #lastLinkId = 0;

  constructor(random: Random, { limits }: Conditions) {
    this.#random = random;
    this.#pace = new Pace(random);
    this.#messages = new MessageMaker(random, this.#pace, limits);
    this.#descriptions = new DescriptionMaker(random, this.#pace, limits);
    this.#kinds = drawHabits(random, KINDS);
    this.#names = NAMES.slice(0, 1 + random.integer(NAMES.length));
    for (const name of this.#names) this.#memory.missing.add(name);
    this.#picks = new Picks(random, this.#memory, this.#names);
    this.#sessions = new SessionCommands(random, this.#pace, this.#picks);
    this.#aboutMessages = new MessageCommands(random, this.#pace, this.#picks);
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
    const busyId = this.#memory.takeBusyHolder();
    if (busyId !== undefined && this.#random.chance(0.15)) return { kind: 'detach', linkId: busyId };
    const holder = this.#memory.takeNewHolder();
    if (holder !== undefined && this.#random.chance(0.7)) return this.#setCredit(holder);
    return this.#command(this.#possible(this.#random.pickWeighted(this.#kinds)));
  }

  learn(command: Command, turn: Turn): void {
    this.#memory.learn(command, turn, this.#now);
  }

  restart(): void {
    this.#memory.restart();
    this.#lastLinkId = 0;
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
    const { tokens, links, numbers, claims } = this.#memory;
    const needsToken = kind === 'settle' || kind === 'settle-many' || kind === 'renew-lock';
    if (needsToken && tokens.length === 0) return this.#possible('set-credit');
    const hasSessions = this.#names.some((name) => this.#memory.isOfSessions(name));
    if (kind === 'list-sessions' && !hasSessions) return 'tick';
    const needsClaim = /-session-/.test(kind) || (kind === 'receive-deferred' && hasSessions);
    if (needsClaim && !claims.some((claim) => this.#memory.isHolding(claim))) {
      return hasSessions ? 'accept-session' : this.#possible('send');
    }
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
      case 'attach-receiver':
      case 'accept-session':
        return this.#attach(kind);
      case 'detach':
        return { kind, linkId: this.#picks.linkToDetach() };
      case 'set-credit':
        return this.#setCredit(this.#picks.link());
      case 'send': {
        const entityPath = this.#random.chance(0.05) ? this.#picks.path() : this.#picks.name();
        const needsSession = this.#memory.isOfSessions(entityPath);
        return { kind, entityPath, messages: this.#messages.messages(this.#now, { needsSession }) };
      }
      case 'renew-session-lock':
      case 'get-session-state':
      case 'set-session-state':
      case 'list-sessions':
        return this.#sessions.next(kind, this.#now);
      case 'tick':
        return { kind };
      default:
        return this.#aboutMessages.next(kind, this.#now);
    }
  }

  #attach(kind: 'attach-receiver' | 'accept-session'): Command {
    const entityPath = kind === 'accept-session' ? this.#picks.sessionPath() : this.#picks.path();
    const receiver = { linkId: this.#newLinkId(), entityPath, receiveMode: this.#picks.receiveMode() };
    const fitting = this.#memory.isOfSessions(entityPath) ? 'accept-session' : 'attach-receiver';
    const isAccept = (this.#random.chance(0.97) ? fitting : kind) === 'accept-session';
    return isAccept ? this.#sessions.accept(receiver) : { kind: 'attach-receiver', ...receiver };
  }

  #newLinkId(): number {
    this.#lastLinkId += 1;
    return this.#lastLinkId;
  }

  #setCredit(link: Link | undefined): Command {
    const change = this.#random.pick([-2, 0, 1, 1, 1, 2, 2, 5]);
    const deliveryLimit = Math.max(0, (link?.deliveryLimit ?? 0) + change);
    if (link !== undefined) link.deliveryLimit = deliveryLimit;
    return { kind: 'set-credit', linkId: link?.id ?? 999, deliveryLimit, drain: this.#random.chance(0.1) };
  }
}
