// What a workload has learnt from the broker's answers: links, tokens, numbers, and the queues there are.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Effect } from '../../src/broker/effect.js';
import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import type { FoundMessage } from '../../src/broker/result.js';

export type Link = { readonly id: number; readonly entityPath: string; deliveryLimit: number };
export type Token = { readonly lockToken: string; readonly entityPath: string; readonly number: number };
/** The number of a message that was, when it was last heard of, deferred or scheduled. */
export type KnownNumber = {
  readonly state: 'deferred' | 'scheduled';
  readonly entityPath: string;
  readonly number: number;
};

const MOST_REMEMBERED = 40;

export class WorkloadMemory {
  links: Link[] = [];
  tokens: Token[] = [];
  numbers: KnownNumber[] = [];
  /** Queues that were asked for and not found. */
  readonly missing = new Set<string>();
  readonly #descriptions = new Map<string, QueueDescription>();

  /** What this queue was like when it was last put. */
  descriptionOf(name: string): QueueDescription | undefined {
    return this.#descriptions.get(name.toLowerCase());
  }

  /** `now` is the time of the turn. */
  learn(command: Command, turn: Turn, now: number): void {
    this.#learnQueues(command, turn);
    this.#learnResult(command, turn, now);
    for (const effect of turn.effects) this.#learnEffect(effect);
  }

  /** Links are gone with the process; tokens are remembered, to be refused. */
  restart(): void {
    this.links = [];
  }

  #learnQueues(command: Command, { result }: Turn): void {
    if (result.kind === 'failed' && result.error.reason === 'entity-not-found') {
      if ('entityPath' in command) this.missing.add(command.entityPath.replace(/\/\$deadletterqueue$/i, ''));
    } else if (command.kind === 'put-queue' && result.kind === 'done') {
      this.#descriptions.set(command.description.name.toLowerCase(), command.description);
    }
  }

  #learnResult(command: Command, { result }: Turn, now: number): void {
    if (command.kind === 'attach-receiver' && result.kind === 'entity') {
      this.links.push({ id: command.linkId, entityPath: command.entityPath, deliveryLimit: 0 });
    } else if (command.kind === 'send' && result.kind === 'sent') {
      for (const [index, { scheduledEnqueueTime = now }] of command.messages.entries()) {
        if (scheduledEnqueueTime <= now) continue;
        this.#learnNumber('scheduled', command.entityPath, result.sequenceNumbers[index]);
      }
    } else if (command.kind === 'settle' && command.outcome.kind === 'defer') {
      const token = this.tokens.find(({ lockToken }) => lockToken === command.lockToken);
      if (token !== undefined) this.#learnNumber('deferred', token.entityPath, token.number);
    } else if ('entityPath' in command && result.kind === 'messages') {
      for (const message of result.messages) this.#learnMessage(command.entityPath, message);
    } else if ('sequenceNumbers' in command && result.kind === 'failed') {
      this.numbers = this.numbers.filter(({ number }) => !command.sequenceNumbers.includes(number));
    } else if ('lockTokens' in command && result.kind === 'failed') {
      this.tokens = this.tokens.filter(({ lockToken }) => !command.lockTokens.includes(lockToken));
    }
  }

  #learnMessage(entityPath: string, { properties, lockToken }: FoundMessage): void {
    const { sequenceNumber, state } = properties;
    if (lockToken !== undefined) this.#learnToken({ lockToken, entityPath, number: sequenceNumber });
    if (state === MESSAGE_STATE.deferred) this.#learnNumber('deferred', entityPath, sequenceNumber);
    if (state === MESSAGE_STATE.scheduled) this.#learnNumber('scheduled', entityPath, sequenceNumber);
  }

  #learnEffect(effect: Effect): void {
    if (effect.kind === 'detach') this.links = this.links.filter((link) => link.id !== effect.linkId);
    if (effect.kind !== 'deliver' || effect.delivery.lockToken === undefined) return;
    const link = this.links.find((one) => one.id === effect.linkId);
    if (link === undefined) return;
    const { lockToken, properties } = effect.delivery;
    this.#learnToken({ lockToken, entityPath: link.entityPath, number: properties.sequenceNumber });
  }

  #learnToken(token: Token): void {
    this.tokens.push(token);
    if (this.tokens.length > MOST_REMEMBERED) this.tokens.shift();
  }

  #learnNumber(state: KnownNumber['state'], entityPath: string, number: number | undefined): void {
    if (number === undefined) return;
    if (this.numbers.some((one) => one.number === number && one.entityPath === entityPath)) return;
    this.numbers.push({ state, entityPath, number });
    if (this.numbers.length > MOST_REMEMBERED) this.numbers.shift();
  }
}
