// A deliberately stupid broker, written from the rules: plain arrays, linear scans, nothing shared with the real one.
// It foretells what the real one must answer, make durable and do; only tokens and invented ids it has to learn.

import type { Command, Outcome } from '../../src/broker/command.js';
import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { Limits } from '../../src/broker/limits.js';
import type { NewMessage, PropertyChange } from '../../src/broker/message/message-properties.js';
import { maxSize, mayReceive, maySend, refusalOfDescription, refusalOfSend } from './reference-checks.js';
import {
  copyState,
  type Expected,
  type ExpectedResult,
  type ModelLink,
  type ModelMessage,
  type ModelQueue,
  type ModelState,
  type Place,
} from './reference-state.js';

type Target = { readonly queue: ModelQueue; readonly place: Place };
type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

const DONE: ExpectedResult = { kind: 'done' };

export class ReferenceModel {
  state: ModelState = { queues: [], links: [], credits: [] };
  readonly #limits: Limits;
  #now = 0;
  #expected: Expected = { result: DONE, durable: [], effects: [] };

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  execute(command: Command, now: number): Expected {
    this.#now = now;
    this.#expected = { result: DONE, durable: [], effects: [] };
    this.#expireLocks();
    this.#deliver();
    this.#expected.result = this.#perform(command);
    this.#deliver();
    if (command.kind === 'set-credit' && command.drain) this.#drain(command.linkId);
    return this.#expected;
  }

  /** The process dies and comes back: locks, links and credit are gone (LNK-06). */
  restart(): void {
    for (const queue of this.state.queues) for (const message of queue.messages) message.lock = undefined;
    this.state.links = [];
    this.state.credits = [];
  }

  /** Its future is its own; contents are shared, since nobody changes them. */
  copy(): ReferenceModel {
    const copy = new ReferenceModel(this.#limits);
    copy.state = copyState(this.state);
    return copy;
  }

  nextDeadline(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { messages } of this.state.queues) {
      for (const { lock } of messages) if (lock !== undefined && lock.until < next) next = lock.until;
    }
    return next;
  }

  #perform(command: Command): ExpectedResult {
    if (command.kind === 'tick') return DONE;
    if (command.kind === 'put-queue') return this.#putQueue(command.description);
    if (command.kind === 'detach') return this.#detach(command.linkId);
    if (command.kind === 'set-credit') return this.#setCredit(command);
    const target = this.#find(command.entityPath);
    if (target === undefined) return failed('entity-not-found');
    if (command.kind === 'find-entity') return this.#entity(target);
    if (command.kind === 'attach-sender') return this.#attachSender(command, target);
    if (command.kind === 'attach-receiver') return this.#attachReceiver(command, target);
    if (command.kind === 'send') return this.#send(command.messages, target);
    if (command.kind === 'settle') return this.#settle(command.lockToken, command.outcome, target);
    return this.#renew(command.lockTokens, target);
  }

  #find(path: string): Target | undefined {
    const lower = path.toLowerCase();
    for (const queue of this.state.queues) {
      if (lower === queue.name.toLowerCase()) return { queue, place: 'main' };
      if (lower === `${queue.name.toLowerCase()}/$deadletterqueue`) return { queue, place: 'dead' };
    }
    return undefined;
  }

  #entity({ queue, place }: Target): ExpectedResult {
    return {
      kind: 'entity',
      path: place === 'main' ? queue.name : `${queue.name}/$DeadLetterQueue`,
      maxMessageSizeBytes: maxSize(queue, this.#limits),
    };
  }

  #putQueue(given: QueueDescription): ExpectedResult {
    const queue = this.#find(given.name)?.queue;
    const old = queue?.description;
    const refusal = refusalOfDescription(given, old, this.#limits);
    if (refusal !== undefined) return failed(refusal);
    if (queue === undefined) this.#create(given);
    else if (JSON.stringify({ ...given, name: '' }) !== JSON.stringify({ ...old, name: '' })) {
      this.#update(queue, given);
    }
    return DONE;
  }

  #create(description: QueueDescription): void {
    const times = { createdTime: this.#now, updatedTime: this.#now };
    this.state.queues.push({ name: description.name, description, ...times, lastNumber: 0, messages: [] });
    this.#expected.durable.push(`queue ${description.name}`);
  }

  /** ENT-07: what may no longer be done is detached. */
  #update(queue: ModelQueue, description: QueueDescription): void {
    queue.description = description;
    queue.updatedTime = this.#now;
    this.#expected.durable.push(`queue ${queue.name}`);
    for (const link of this.state.links.filter((one) => one.queueName === queue.name)) {
      if (link.role === 'sender' ? maySend(queue) : mayReceive(queue)) continue;
      this.#detach(link.id);
      this.#expected.effects.push({ kind: 'detach', linkId: link.id, reason: 'entity-disabled' });
    }
  }

  #attachSender({ linkId }: Of<'attach-sender'>, target: Target): ExpectedResult {
    if (target.place === 'dead') return failed('not-allowed');
    if (!maySend(target.queue)) return failed('entity-disabled');
    this.#attach(linkId, 'sender', target);
    return this.#entity(target);
  }

  #attachReceiver({ linkId, receiveMode }: Of<'attach-receiver'>, target: Target): ExpectedResult {
    if (!mayReceive(target.queue)) return failed('entity-disabled');
    if (target.queue.description.requiresSession && target.place === 'main') return failed('not-allowed');
    this.#attach(linkId, 'receiver', target, receiveMode);
    return this.#entity(target);
  }

  #attach(id: number, role: ModelLink['role'], target: Target, mode: ModelLink['mode'] = 'peek-lock'): void {
    this.state.links.push({ id, role, queueName: target.queue.name, place: target.place, mode, used: 0 });
  }

  #detach(linkId: number): ExpectedResult {
    this.state.links = this.state.links.filter((link) => link.id !== linkId);
    this.state.credits = this.state.credits.filter((id) => id !== linkId);
    return DONE;
  }

  #setCredit({ linkId, deliveryLimit }: Of<'set-credit'>): ExpectedResult {
    const link = this.state.links.find((one) => one.id === linkId && one.role === 'receiver');
    if (link === undefined) return DONE;
    const wanted = Math.max(0, deliveryLimit - link.used);
    while (this.#creditOf(linkId) < wanted) this.state.credits.push(linkId);
    while (this.#creditOf(linkId) > wanted) {
      this.state.credits.splice(this.state.credits.lastIndexOf(linkId), 1);
    }
    return DONE;
  }

  #creditOf(linkId: number): number {
    return this.state.credits.filter((id) => id === linkId).length;
  }

  #drain(linkId: number): void {
    const link = this.state.links.find((one) => one.id === linkId && one.role === 'receiver');
    if (link === undefined) return;
    link.used += this.#creditOf(linkId);
    this.state.credits = this.state.credits.filter((id) => id !== linkId);
    this.#expected.effects.push({ kind: 'drained', linkId, deliveredCount: link.used });
  }

  #send(messages: readonly NewMessage[], { queue, place }: Target): ExpectedResult {
    const refusal = place === 'dead' ? 'not-allowed' : refusalOfSend(queue, messages, this.#limits);
    if (refusal !== undefined) return failed(refusal);
    const sequenceNumbers = messages.map((message) => this.#accept(queue, message));
    if (messages.length > 0) this.#expected.durable.push(`next of ${queue.name} is ${queue.lastNumber + 1}`);
    return { kind: 'sent', sequenceNumbers };
  }

  #accept(queue: ModelQueue, { content, hasMessageId }: NewMessage): number {
    queue.lastNumber += 1;
    queue.messages.push({
      place: 'main',
      number: queue.lastNumber,
      enqueuedTime: this.#now,
      content,
      hasInventedId: !hasMessageId,
      inventedId: undefined,
      count: 0,
      changes: {},
      lock: undefined,
    });
    this.#expected.durable.push(`put ${queue.name} main ${queue.lastNumber}`, 'content stored');
    return queue.lastNumber;
  }

  #settle(token: string, outcome: Outcome, { queue, place }: Target): ExpectedResult {
    if (!mayReceive(queue) && outcome.kind !== 'release') return failed('entity-disabled');
    const message = queue.messages.find((one) => one.lock?.token === token);
    if (message === undefined) return lockLost({ queue, place });
    if (outcome.kind === 'defer') return failed('not-implemented');
    message.lock = undefined;
    if (outcome.kind === 'complete') this.#remove(queue, message);
    if (outcome.kind === 'abandon') this.#returnCounted(queue, message, outcome.changes);
    if (outcome.kind !== 'dead-letter') return DONE;
    if (message.place === 'dead') return failed('not-allowed'); // DLQ-08
    this.#deadLetter(queue, message, outcome.changes);
    return DONE;
  }

  #renew(tokens: readonly string[], target: Target): ExpectedResult {
    const { queue } = target;
    if (!mayReceive(queue)) return failed('entity-disabled');
    const locks = tokens.map((token) => queue.messages.find((one) => one.lock?.token === token)?.lock);
    if (locks.includes(undefined)) return lockLost(target);
    const until = this.#now + queue.description.lockDurationMs;
    for (const lock of locks) if (lock !== undefined) lock.until = until;
    return { kind: 'renewed', lockedUntil: tokens.map(() => until) };
  }

  #expireLocks(): void {
    for (const queue of this.state.queues) {
      for (const message of queue.messages) {
        if (message.lock === undefined || message.lock.until > this.#now) continue;
        message.lock = undefined;
        this.#returnCounted(queue, message, []);
      }
    }
  }

  /** DLV-02, DLV-06, DLV-07. */
  #returnCounted(queue: ModelQueue, message: ModelMessage, changes: readonly PropertyChange[]): void {
    change(message, changes);
    if (message.place === 'dead') {
      if (changes.length > 0) this.#expected.durable.push(`put ${queue.name} dead ${message.number}`);
      return;
    }
    message.count += 1;
    const max = queue.description.maxDeliveryCount;
    if (message.count < max) {
      this.#expected.durable.push(`put ${queue.name} main ${message.number}`);
      return;
    }
    this.#deadLetter(queue, message, [
      { name: 'DeadLetterReason', value: 'MaxDeliveryCountExceeded' },
      {
        name: 'DeadLetterErrorDescription',
        value: `Message could not be consumed after ${max} delivery attempts.`,
      },
    ]);
  }

  #deadLetter(queue: ModelQueue, message: ModelMessage, changes: readonly PropertyChange[]): void {
    change(message, changes);
    message.place = 'dead';
    this.#expected.durable.push(
      `removed ${queue.name} main ${message.number}`,
      `put ${queue.name} dead ${message.number}`,
    );
  }

  #remove(queue: ModelQueue, message: ModelMessage): void {
    queue.messages = queue.messages.filter((one) => one !== message);
    this.#expected.durable.push(
      `removed ${queue.name} ${message.place} ${message.number}`,
      'content released',
    );
  }

  /** The oldest credit gets the lowest number, until nobody can be given anything (RCV-04, RCV-07). */
  #deliver(): void {
    for (let i = 0; i < this.state.credits.length; ) {
      const link = this.state.links.find((one) => one.id === this.state.credits[i]);
      const queue = this.state.queues.find((one) => one.name === link?.queueName);
      if (link === undefined || queue === undefined) throw new Error('credit of nobody');
      const message = firstAvailable(queue, link.place);
      if (message === undefined) i += 1;
      else {
        this.state.credits.splice(i, 1);
        this.#deliverTo(link, queue, message);
      }
    }
  }

  #deliverTo(link: ModelLink, queue: ModelQueue, message: ModelMessage): void {
    link.used += 1;
    if (link.mode === 'receive-and-delete') this.#remove(queue, message);
    else message.lock = { token: '', until: this.#now + queue.description.lockDurationMs };
    this.#expected.effects.push({ kind: 'deliver', linkId: link.id, message });
  }
}

function firstAvailable({ messages }: ModelQueue, place: Place): ModelMessage | undefined {
  const available = messages.filter((message) => message.place === place && message.lock === undefined);
  return available.sort((a, b) => a.number - b.number)[0];
}

function lockLost({ queue, place }: Target): ExpectedResult {
  const isSessionStore = queue.description.requiresSession && place === 'main';
  return failed(isSessionStore ? 'session-lock-lost' : 'message-lock-lost');
}

function change(message: ModelMessage, changes: readonly PropertyChange[]): void {
  for (const { name, value } of changes) message.changes[name] = value;
}

function failed(reason: string): ExpectedResult {
  return { kind: 'failed', reason };
}
