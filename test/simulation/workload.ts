// Makes up commands. Each seed has its own habits: which kinds of command it uses, how often, and how time passes.

import type { Turn } from '../../src/broker/broker.js';
import type {
  Command,
  Inspection,
  Management,
  SingleCommand,
  SnapshotCommand,
  StepCommand,
} from '../../src/broker/contract/command.js';
import type { Effect } from '../../src/broker/contract/effect.js';
import { Pace } from './conditions.js';
import { DescriptionMaker, RuleMaker } from './description-maker.js';
import { MessageCommands, MessageMaker } from './message-commands.js';
import { CONNECTION_IDS, type EnlistedKind, EntityNames, Picks } from './picks.js';
import { drawHabits, type Random, type Weighted } from './random.js';
import type { Conditions } from './reference-state.js';
import type { SelectorMaker } from './selectors.js';
import { RULE_KINDS, TOPIC_KINDS, TopicCommands, type TopicKind } from './topic-commands.js';
import { type KnownTransaction, type Link, WorkloadMemory } from './workload-memory.js';

const TRANSACTION_KINDS = ['declare-transaction', 'enlist', 'discharge'] as const;

/** Management, unreadable contents and snapshots have random tests of their own. */
type Kind =
  | Exclude<
      Exclude<Command, Inspection | Management | SnapshotCommand>['kind'],
      | 'use-entity'
      | 'attach-temporary'
      | `${string}subscribe${string}`
      | 'content-unreadable'
      | `${string}-entity`
      | 'list-entities'
    >
  | ('find-entity' | 'put-queue' | 'delete-queue' | 'get-queue-info' | 'list-queues' | 'list-topics')
  | TopicKind;

const KINDS: Weighted<Kind> = [
  ['put-queue', 0.7],
  ['delete-queue', 0.1],
  ['find-entity', 0.2],
  ['get-queue-info', 0.2],
  ['attach-sender', 0.3],
  ['attach-receiver', 1.5],
  ['attach-browser', 0.5],
  ['accept-session', 1.5],
  ['detach', 1],
  ['set-credit', 12],
  ['send', 9],
  ['transfer', 3],
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
  ['put-topic', 0.4],
  ['delete-topic', 0.06],
  ['put-subscription', 0.5],
  ['delete-subscription', 0.1],
  ['add-rule', 1.2],
  ['remove-rule', 0.7],
  ['list-rules', 0.3],
  ['get-rule', 0.3],
  ['update-rule', 0.6],
  ['set-rules', 0.5],
  ['purge', 0.4],
  ['reset', 0.05],
  ['list-queues', 0.3],
  ['list-topics', 0.2],
  ['list-subscriptions', 0.3],
  ['get-topic-info', 0.2],
  ['get-subscription-info', 0.2],
  ['tick', 3],
  ['step', 3],
  ['declare-transaction', 1.5],
  ['enlist', 8],
  ['discharge', 3],
];
/** Links, and who waits for sessions, come and go one at a time. */
const NOT_IN_STEPS: readonly Kind[] = [
  'tick',
  'step',
  'set-credit',
  'detach',
  'list-sessions',
  ...TRANSACTION_KINDS,
  'purge',
  'reset',
  'attach-sender',
  'attach-receiver',
  'attach-browser',
  'accept-session',
];
const MOST_IN_A_STEP = 4;

/** Not drawn at random, so that a seed goes on as it did before there were batches. */
function isBatch(messages: readonly unknown[]): boolean {
  return messages.length % 2 === 0;
}

export class Workload {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #messages: MessageMaker;
  readonly #descriptions: DescriptionMaker;
  readonly #kinds: Weighted<Kind>;
  readonly #names: EntityNames;
  readonly #memory = new WorkloadMemory();
  readonly #picks: Picks;
  readonly #aboutMessages: MessageCommands;
  readonly #aboutTopics: TopicCommands;
  readonly #transactions: TransactionCommands;
  readonly #selectors: SelectorMaker;
  #now = 0;
  #lastLinkId = 0;

  constructor(random: Random, { limits }: Conditions, selectors: SelectorMaker) {
    this.#random = random;
    this.#selectors = selectors;
    this.#pace = new Pace(random);
    this.#messages = new MessageMaker(random, this.#pace, limits);
    this.#kinds = drawHabits(random, KINDS);
    this.#names = new EntityNames(random);
    const destinations = [...this.#names.queues, ...this.#names.topics];
    this.#descriptions = new DescriptionMaker(random, { pace: this.#pace, limits, destinations });
    for (const path of this.#names.all) this.#memory.missing.add(path);
    this.#picks = new Picks(random, this.#memory, this.#names);
    this.#aboutMessages = new MessageCommands(random, this.#pace, this.#picks);
    const [names, memory, picks, descriptions] = [this.#names, this.#memory, this.#picks, this.#descriptions];
    const rules = new RuleMaker(random);
    this.#aboutTopics = new TopicCommands(random, { names, memory, picks, descriptions, rules });
    this.#transactions = new TransactionCommands(random, memory, picks);
  }

  /** The time of the next command. */
  nextTime(now: number, nextDeadline: number): number {
    return this.#pace.nextTime(now, nextDeadline);
  }

  next(now: number): Command {
    this.#now = now;
    const missing = this.#takeMissing();
    if (missing !== undefined) return this.#create(missing);
    const busyId = this.#memory.takeBusyHolder();
    if (busyId !== undefined && this.#random.chance(0.15)) return { kind: 'detach', linkId: busyId };
    const holder = this.#memory.takeNewHolder();
    if (holder !== undefined && this.#random.chance(0.7)) return this.#setCredit(holder);
    return this.#command(this.#possible(this.#random.pickWeighted(this.#kinds)));
  }

  learn(command: Command, turn: Turn): void {
    this.#memory.learn(command, turn, this.#now);
  }

  /** Learns of an effect that reached its link after the turn. */
  learnEffect(effect: Effect): void {
    this.#memory.learnEffect(effect);
  }

  restart(): void {
    this.#memory.restart();
    this.#lastLinkId = 0;
  }

  /** An entity that was deleted comes again, soon. */
  #takeMissing(): string | undefined {
    const missing = new Set([...this.#memory.missing].map((path) => path.toLowerCase()));
    this.#memory.missing.clear();
    const [first, ...others] = this.#names.all.filter((path) => missing.has(path.toLowerCase()));
    for (const name of others) this.#memory.missing.add(name);
    return first;
  }

  #create(path: string): Command {
    const subscription = this.#names.findSubscription(path);
    if (subscription !== undefined) return this.#aboutTopics.createSubscription(subscription, this.#now);
    if (this.#names.topics.includes(path)) return this.#aboutTopics.createTopic(path);
    const expected = this.#random.pick(['absent', undefined] as const);
    return { kind: 'put-entity', type: 'queue', description: this.#descriptions.plain(path), expected };
  }

  /** Mostly something that has a chance to succeed: nothing is settled before it is received. */
  #possible(kind: Kind): Kind {
    if ((isOneOf(TOPIC_KINDS, kind) || isOneOf(RULE_KINDS, kind)) && this.#names.topics.length === 0)
      return this.#possible('send');
    if (this.#random.chance(0.1)) return kind;
    const { tokens, links, numbers, claims } = this.#memory;
    const needsToken = kind === 'settle' || kind === 'settle-many' || kind === 'renew-lock';
    if (needsToken && tokens.length === 0) return this.#possible('set-credit');
    const hasSessions = this.#names.sources.some((path) => this.#memory.isOfSessions(path));
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
    if (isOneOf(TOPIC_KINDS, kind)) return this.#aboutTopics.next(kind, this.#now);
    if (isOneOf(RULE_KINDS, kind)) return this.#aboutTopics.nextOfRules(kind, this.#now);
    if (isOneOf(TRANSACTION_KINDS, kind))
      return this.#transactions.next(kind, (enlisted) => this.#command(enlisted));
    switch (kind) {
      case 'put-queue': {
        const name = this.#picks.name();
        const description = this.#descriptions.changed(name, this.#memory.descriptionOf(name));
        return { kind: 'put-entity', type: 'queue', description, expected: this.#picks.expected() };
      }
      case 'delete-queue':
      case 'get-queue-info': {
        const name = this.#random.chance(0.05) ? 'nowhere' : this.#picks.name();
        const isQueue = this.#names.queues.some((one) => one.toLowerCase() === name.toLowerCase());
        const entityPath = isQueue ? name : 'nowhere';
        return { kind: kind === 'delete-queue' ? 'delete-entity' : 'get-entity', entityPath };
      }
      case 'list-queues':
        return { kind: 'list-entities', type: 'queue', ...this.#picks.page() };
      case 'list-topics':
        return { kind: 'list-entities', type: 'topic', ...this.#picks.page() };
      case 'find-entity':
        return { kind, entityPath: this.#picks.path() };
      case 'attach-sender': {
        const linkId = this.#newLinkId();
        return {
          kind,
          linkId,
          entityPath: this.#random.chance(0.5) ? this.#picks.path() : this.#picks.destination(),
        };
      }
      case 'attach-browser':
        return {
          kind,
          linkId: this.#newLinkId(),
          entityPath: this.#picks.path(),
          selector: this.#selectors.next(),
        };
      case 'attach-receiver':
      case 'accept-session':
        return this.#attach(kind);
      case 'detach':
        return { kind, linkId: this.#picks.linkToDetach() };
      case 'set-credit':
        return this.#setCredit(this.#picks.link());
      case 'send': {
        const entityPath = this.#random.chance(0.05) ? this.#picks.path() : this.#picks.destination();
        const needsSession = this.#memory.isForSessions(entityPath);
        const messages = this.#messages.messages(this.#now, { needsSession });
        return { kind, entityPath, messages, isBatch: isBatch(messages) };
      }
      case 'transfer':
        return this.#transfer();
      case 'renew-session-lock':
      case 'get-session-state':
      case 'set-session-state':
      case 'list-sessions':
        return this.#aboutMessages.nextOfSession(kind, this.#now);
      case 'tick':
      case 'reset':
        return { kind };
      case 'purge':
        return {
          kind,
          entityPath: this.#random.chance(0.7) ? this.#picks.path() : this.#picks.destination(),
        };
      case 'step':
        return this.#step();
      default:
        return this.#aboutMessages.next(kind, this.#now);
    }
  }

  /** The destination may be gone, full or disabled since somebody looked at it. */
  #transfer(): Command {
    const { queues, topics } = this.#names;
    const destination = this.#random.chance(0.05) ? this.#picks.path() : this.#picks.destination();
    const entityPath = this.#random.chance(0.3)
      ? this.#picks.path()
      : this.#random.pick([...queues, ...topics]);
    const needsSession = this.#memory.isForSessions(destination);
    const messages = this.#messages.messages(this.#now, { needsSession });
    const isChecked = this.#random.chance(0.3);
    return { kind: 'transfer', entityPath, destination, messages, isBatch: isBatch(messages), isChecked };
  }

  #step(): Command {
    const commands: StepCommand[] = [];
    const count = 1 + this.#random.integer(MOST_IN_A_STEP);
    for (let tries = 0; tries < 4 * count && commands.length < count; tries++) {
      const again = commands.length > 0 && this.#random.chance(0.1) ? this.#random.pick(commands) : undefined;
      if (again !== undefined) {
        commands.push(structuredClone(again)); // a copy: the model knows contents by their objects
        continue;
      }
      const kind = this.#possible(this.#random.pickWeighted(this.#kinds));
      if (NOT_IN_STEPS.includes(kind)) continue;
      const command = this.#command(kind);
      if (isPartOfStep(command)) commands.push(command);
    }
    return { kind: 'step', commands };
  }

  #attach(kind: 'attach-receiver' | 'accept-session'): Command {
    const entityPath = kind === 'accept-session' ? this.#picks.sessionPath() : this.#picks.path();
    const receiver = { linkId: this.#newLinkId(), entityPath, receiveMode: this.#picks.receiveMode() };
    const fitting = this.#memory.isOfSessions(entityPath) ? 'accept-session' : 'attach-receiver';
    const isAccept = (this.#random.chance(0.97) ? fitting : kind) === 'accept-session';
    if (isAccept) return this.#aboutMessages.accept(receiver);
    const keepsLocks = this.#random.chance(0.3);
    return { kind: 'attach-receiver', ...receiver, keepsLocks, selector: this.#selectors.next() };
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

function isPartOfStep(command: Command): command is StepCommand {
  return !NOT_IN_STEPS.some((kind) => kind === command.kind);
}

function isOneOf<K extends Kind>(kinds: readonly K[], kind: Kind): kind is K {
  return kinds.some((one) => one === kind);
}

type TransactionKind = (typeof TRANSACTION_KINDS)[number];

const ENLISTED: Weighted<EnlistedKind> = [
  ['send', 4],
  ['settle', 5],
  ['settle-many', 1.5],
  ['cancel-scheduled', 2],
  ['set-session-state', 1.2],
  ['renew-lock', 0.4],
  ['renew-session-lock', 0.3],
  ['peek', 0.4],
  ['get-session-state', 0.3],
  ['list-sessions', 0.2],
  ['receive-deferred', 0.4],
];
type Named = Pick<KnownTransaction, 'connectionId' | 'entityPath'> & { readonly transactionId: number };
const MOST_OPEN = 4;
/** More are refused by most queues. */
const LARGE_BYTES = 1000;

class TransactionCommands {
  readonly #random: Random;
  readonly #memory: WorkloadMemory;
  readonly #picks: Picks;
  readonly #kinds: Weighted<EnlistedKind>;
  readonly #rollBackChance: number;

  constructor(random: Random, memory: WorkloadMemory, picks: Picks) {
    this.#random = random;
    this.#memory = memory;
    this.#picks = picks;
    this.#kinds = drawHabits(random, ENLISTED);
    this.#rollBackChance = random.pick([0.1, 0.2, 0.6]);
  }

  /** `make` makes a command of such a kind. */
  next(kind: TransactionKind, make: (kind: EnlistedKind) => Command): Command {
    const { openTransactions } = this.#memory;
    const canDeclare = kind === 'declare-transaction' && openTransactions.length < MOST_OPEN;
    if (canDeclare || (openTransactions.length === 0 && this.#random.chance(0.95))) {
      return { kind: 'declare-transaction', connectionId: this.#random.pick(CONNECTION_IDS) };
    }
    const isDischarge = kind === 'discharge' && (this.#hasOperations() || this.#random.chance(0.2));
    const { entityPath, ...named } = this.#transaction({ isDischarge });
    if (isDischarge) {
      return { kind: 'discharge', ...named, isFailed: this.#random.chance(this.#rollBackChance) };
    }
    const focus = this.#random.chance(0.95) ? entityPath : undefined;
    const command = this.#picks.near(focus, () => this.#fitting(make));
    if (!isEnlisted(command)) throw new Error('a command was made that is not to be enlisted');
    if (command.kind === 'send' && this.#random.chance(0.3)) {
      return { kind: 'enlist', ...named, command: { ...command, reservesNumbers: true } };
    }
    const isSettled = command.kind === 'settle' || command.kind === 'settle-many';
    return { kind: 'enlist', ...named, command, isForgotten: isSettled && this.#random.chance(0.2) };
  }

  /** Mostly a send that is not too large. */
  #fitting(make: (kind: EnlistedKind) => Command): Command {
    const kind = this.#picks.possible(this.#random.pickWeighted(this.#kinds));
    let command = make(kind);
    for (let tries = 0; tries < 3 && isLarge(command) && this.#random.chance(0.9); tries++) {
      command = make(kind);
    }
    return command;
  }

  #hasOperations(): boolean {
    return this.#memory.openTransactions.some(({ entityPath }) => entityPath !== undefined);
  }

  /** Now and then it is over, another connection's, or was never declared. */
  #transaction({ isDischarge }: { readonly isDischarge: boolean }): Named {
    const { openTransactions, endedTransactions } = this.#memory;
    const isEnded = endedTransactions.length > 0 && this.#random.chance(0.06);
    const known = isEnded ? endedTransactions : openTransactions;
    if (known.length === 0 || this.#random.chance(0.01)) {
      return { transactionId: 1_000_000, connectionId: 1, entityPath: undefined };
    }
    const useful = known.filter((one) => (isDischarge ? one.entityPath !== undefined : !one.isDoomed));
    const isUseful = useful.length > 0 && this.#random.chance(0.9);
    const { id, connectionId, entityPath } = this.#random.pick(isUseful ? useful.slice(-2) : known);
    const isForeign = this.#random.chance(0.03);
    return {
      transactionId: id,
      connectionId: isForeign ? this.#random.pick(CONNECTION_IDS) : connectionId,
      entityPath,
    };
  }
}

function isLarge(command: Command): boolean {
  if (command.kind !== 'send') return false;
  return command.messages.reduce((sum, { content }) => sum + content.length, 0) > LARGE_BYTES;
}

function isEnlisted(command: Command): command is SingleCommand {
  return ENLISTED.some(([kind]) => kind === command.kind);
}
