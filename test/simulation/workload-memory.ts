// What a workload has learnt from the broker's answers: links, tokens, numbers, and the queues there are.

import type { Turn } from '../../src/broker/broker.js';
import type { Command, SessionClaim } from '../../src/broker/contract/command.js';
import type { Effect } from '../../src/broker/contract/effect.js';
import { type DescribedEntity, pathOf } from '../../src/broker/contract/entities/entity.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type {
  SubscriptionDescription,
  TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import type { FoundMessage } from '../../src/broker/contract/result.js';
import { type Enlisted, EnlistedCommands, type Part } from './steps.js';

export type Link = {
  readonly id: number;
  readonly entityPath: string;
  /** Of one that accepts a session; on this connection. */
  readonly connectionId: number | undefined;
  session: SessionClaim | undefined;
  deliveryLimit: number;
};
export type Token = {
  readonly lockToken: string;
  readonly entityPath: string;
  readonly number: number;
  /** Of a message that came to the holder of a session. */
  readonly session: SessionClaim | undefined;
};
/** Of a link that was, when it was last heard of, the holder. */
export type KnownClaim = SessionClaim & { readonly linkId: number; readonly entityPath: string };
/** The number of a message that was, when it was last heard of, deferred or scheduled. */
export type KnownNumber = {
  readonly state: 'deferred' | 'scheduled';
  readonly entityPath: string;
  readonly number: number;
  /** Whose it was, when that is known. */
  readonly sessionId: string | undefined;
};

/** `entityPath` is where its first operation was. */
export type KnownTransaction = {
  readonly id: number;
  readonly connectionId: number;
  entityPath: string | undefined;
  /** Something was refused in it. */
  isDoomed: boolean;
};

const MOST_REMEMBERED = 40;
const MOST_ENDED = 4;
const MOST_CLAIMS = 12;

type AtEntity = Extract<Command, { readonly entityPath: string }>;

export class WorkloadMemory {
  links: Link[] = [];
  tokens: Token[] = [];
  numbers: KnownNumber[] = [];
  claims: KnownClaim[] = [];
  openTransactions: KnownTransaction[] = [];
  endedTransactions: KnownTransaction[] = [];
  /** Queues that were asked for and not found. */
  readonly missing = new Set<string>();
  /** Also those no longer in use. */
  readonly #everyToken = new Map<string, Token>();
  /** It has just been given a session. */
  #newHolder: Link | undefined;
  #busyHolderId: number | undefined;
  #enlisted = new EnlistedCommands();
  readonly #descriptions = new Map<string, QueueDescription>();
  readonly #topics = new Map<string, TopicDescription>();
  /** By path. */
  readonly #subscriptions = new Map<string, SubscriptionDescription>();

  /** What this queue was like when it was last put. */
  descriptionOf(name: string): QueueDescription | undefined {
    return this.#descriptions.get(name.toLowerCase());
  }

  topicOf(name: string): TopicDescription | undefined {
    return this.#topics.get(name.toLowerCase());
  }

  subscriptionOf(path: string): SubscriptionDescription | undefined {
    return this.#subscriptions.get(path.toLowerCase());
  }

  /** Of a holder that has just locked a deferred message. */
  takeBusyHolder(): number | undefined {
    const busyId = this.#busyHolderId;
    this.#busyHolderId = undefined;
    return busyId;
  }

  takeNewHolder(): Link | undefined {
    const holder = this.#newHolder;
    this.#newHolder = undefined;
    return holder;
  }

  /** Whether the path is that of a queue or subscription that requires sessions. */
  isOfSessions(entityPath: string): boolean {
    const found = this.descriptionOf(entityPath) ?? this.subscriptionOf(entityPath);
    return found?.requiresSession === true;
  }

  /** Or that of a topic with such a subscription. */
  isForSessions(entityPath: string): boolean {
    if (this.isOfSessions(entityPath)) return true;
    const start = `${entityPath.toLowerCase()}/subscriptions/`;
    return [...this.#subscriptions].some(([path, one]) => path.startsWith(start) && one.requiresSession);
  }

  isHolding({ linkId }: KnownClaim): boolean {
    return this.links.some(({ id, session }) => id === linkId && session !== undefined);
  }

  /** `now` is the time of the turn. */
  learn(command: Command, turn: Turn, now: number): void {
    const { parts, rolledBack } = this.#enlisted.afterTurn(command, turn.result, now);
    for (const part of parts) {
      this.#learnQueues(part.command, part);
      this.#learnResult(part.command, part, now);
    }
    for (const one of rolledBack) this.#learnRolledBack(one);
    this.#learnTransaction(command, turn);
    for (const effect of turn.effects) this.learnEffect(effect);
  }

  /** Links are gone with the process; tokens and claims are remembered, to be refused. */
  restart(): void {
    this.links = [];
    this.claims = this.claims.map((claim) => ({ ...claim, linkId: 0 }));
    this.#newHolder = undefined;
    this.#busyHolderId = undefined;
    for (const { id } of this.openTransactions) this.#forgetTransaction(id);
    this.#enlisted = new EnlistedCommands();
  }

  #learnTransaction(command: Command, { result }: Turn): void {
    if (command.kind === 'declare-transaction' && result.kind === 'declared') {
      const { connectionId } = command;
      this.openTransactions.push({
        id: result.transactionId,
        connectionId,
        entityPath: undefined,
        isDoomed: false,
      });
    }
    if (command.kind !== 'enlist' && command.kind !== 'discharge') return;
    const { transactionId } = command;
    const reason = result.kind === 'failed' ? result.error.reason : undefined;
    const isOver = command.kind === 'discharge' || reason === 'transaction-timeout';
    if (isOver && reason !== 'transaction-unknown') this.#forgetTransaction(transactionId);
    const known = this.openTransactions.find(({ id }) => id === transactionId);
    const isHeld = result.kind === 'enlisted' || result.kind === 'sent';
    if (known === undefined || command.kind !== 'enlist') return;
    if (reason !== undefined && reason !== 'transaction-unknown') known.isDoomed = true;
    if (isHeld && 'entityPath' in command.command) known.entityPath ??= command.command.entityPath;
  }

  #forgetTransaction(transactionId: number): void {
    const ended = this.openTransactions.filter(({ id }) => id === transactionId);
    this.openTransactions = this.openTransactions.filter(({ id }) => id !== transactionId);
    this.endedTransactions = [...this.endedTransactions, ...ended].slice(-MOST_ENDED);
  }

  /** Its tokens are good again. */
  #learnRolledBack({ command }: Enlisted): void {
    if (command.kind !== 'settle' && command.kind !== 'settle-many') return;
    for (const lockToken of command.kind === 'settle' ? [command.lockToken] : command.lockTokens) {
      const token = this.#everyToken.get(lockToken);
      if (token !== undefined && !this.tokens.includes(token)) this.#learnToken(token);
    }
  }

  #learnQueues(command: Command, { result }: Part): void {
    if (result.kind === 'failed' && result.error.reason === 'entity-not-found') {
      for (const path of missingFor(command)) {
        this.missing.add(path.replace(/(?:\/\$transfer)?\/\$deadletterqueue$/i, ''));
      }
    } else if (command.kind === 'put-entity' && result.kind === 'entity-info') {
      this.#learnEntity(command);
    }
  }

  #learnEntity(entity: DescribedEntity): void {
    const path = pathOf(entity).toLowerCase();
    switch (entity.type) {
      case 'queue':
        this.#descriptions.set(path, entity.description);
        break;
      case 'topic':
        this.#topics.set(path, entity.description);
        break;
      case 'subscription':
        this.#subscriptions.set(path, entity.description);
    }
  }

  #learnResult(command: Command, { result }: Part, now: number): void {
    if (isReceiver(command) && result.kind === 'entity') {
      const connectionId = command.kind === 'accept-session' ? command.connectionId : undefined;
      const { linkId: id, entityPath } = command;
      this.links.push({ id, entityPath, connectionId, session: undefined, deliveryLimit: 0 });
    } else if (command.kind === 'send' && result.kind === 'sent') {
      for (const [index, { scheduledEnqueueTime = now }] of command.messages.entries()) {
        if (scheduledEnqueueTime <= now) continue;
        const [number, sessionId] = [result.sequenceNumbers[index], undefined];
        this.#learnNumber({ state: 'scheduled', entityPath: command.entityPath, number, sessionId });
      }
    } else if (command.kind === 'settle' && command.outcome.kind === 'defer') {
      const token = result.kind === 'done' ? this.#everyToken.get(command.lockToken) : undefined;
      if (token === undefined) return;
      const { entityPath, number, session } = token;
      this.#learnNumber({ state: 'deferred', entityPath, number, sessionId: session?.sessionId });
    } else if ('entityPath' in command && result.kind === 'messages') {
      for (const message of result.messages) this.#learnMessage(command, message);
    } else if ('sequenceNumbers' in command && result.kind === 'failed') {
      this.numbers = this.numbers.filter(({ number }) => !command.sequenceNumbers.includes(number));
    } else if ('lockTokens' in command && result.kind === 'failed') {
      this.tokens = this.tokens.filter(({ lockToken }) => !command.lockTokens.includes(lockToken));
    }
  }

  #learnMessage(command: AtEntity, { properties, lockToken }: FoundMessage): void {
    const { sequenceNumber: number, state } = properties;
    const { entityPath } = command;
    const session = 'session' in command ? command.session : undefined;
    if (lockToken !== undefined) {
      this.#learnToken({ lockToken, entityPath, number, session });
      this.#busyHolderId = this.claims.findLast(
        (claim) => claim.sessionId === session?.sessionId && this.isHolding(claim),
      )?.linkId;
    }
    const sessionId = session?.sessionId ?? ('sessionId' in command ? command.sessionId : undefined);
    const known = { entityPath, number, sessionId };
    if (state === MESSAGE_STATE.deferred) this.#learnNumber({ ...known, state: 'deferred' });
    if (state === MESSAGE_STATE.scheduled) this.#learnNumber({ ...known, state: 'scheduled' });
  }

  learnEffect(effect: Effect): void {
    if (effect.kind === 'detach') this.links = this.links.filter((link) => link.id !== effect.linkId);
    const link = this.links.find((one) => one.id === effect.linkId);
    if (link === undefined) return;
    if (effect.kind === 'session-accepted') this.#learnClaim(link, effect.sessionId);
    if (effect.kind !== 'deliver' || effect.delivery.lockToken === undefined) return;
    const { lockToken, properties } = effect.delivery;
    const { entityPath, session } = link;
    this.#learnToken({ lockToken, entityPath, number: properties.sequenceNumber, session });
  }

  #learnClaim(link: Link, sessionId: string): void {
    const { id: linkId, entityPath, connectionId } = link;
    if (connectionId === undefined) return;
    link.session = { sessionId, connectionId };
    this.#newHolder = link;
    this.claims.push({ ...link.session, linkId, entityPath });
    if (this.claims.length > MOST_CLAIMS) this.claims.shift();
  }

  #learnToken(token: Token): void {
    this.#everyToken.set(token.lockToken, token);
    this.tokens.push(token);
    if (this.tokens.length > MOST_REMEMBERED) this.tokens.shift();
  }

  #learnNumber({ number, ...known }: Omit<KnownNumber, 'number'> & { number: number | undefined }): void {
    if (number === undefined) return;
    if (this.numbers.some((one) => one.number === number && one.entityPath === known.entityPath)) return;
    this.numbers.push({ ...known, number });
    if (this.numbers.length > MOST_REMEMBERED) this.numbers.shift();
  }
}

function isReceiver(
  command: Command,
): command is Extract<Command, { kind: 'attach-receiver' | 'attach-browser' | 'accept-session' }> {
  return ['attach-receiver', 'attach-browser', 'accept-session'].includes(command.kind);
}

/** What may not have been there. A subscription may lack its topic. */
function missingFor(command: Command): readonly string[] {
  const topic = 'topicName' in command ? [command.topicName] : [];
  if (command.kind === 'put-entity') return [pathOf(command), ...topic];
  if (!('entityPath' in command)) return topic;
  const { entityPath } = command;
  if (command.kind === 'transfer') return [entityPath, command.destination];
  if (command.kind !== 'get-entity' && command.kind !== 'delete-entity') return [entityPath];
  const [, topicName] = /^(.+)\/subscriptions\//i.exec(entityPath) ?? [];
  return topicName === undefined ? [] : [entityPath, topicName];
}
