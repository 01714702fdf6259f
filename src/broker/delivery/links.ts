// Who is attached to what: senders and receivers by link id.

import { assert } from '../assert.js';
import type { ReceiveMode } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityNotFound } from '../entity/namespace.js';
import { entityDisabled, type Queue } from '../entity/queue.js';
import { checkMaySend } from '../message/send.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { Receiver } from './receiver.js';

type Sender = { readonly store: MessageStore };

export class Links {
  readonly #senders = new Map<number, Sender>();
  readonly #receivers = new Map<number, Receiver>();

  attachSender(linkId: number, store: MessageStore): void {
    checkMaySend(store);
    this.#assertNew(linkId);
    this.#senders.set(linkId, { store });
  }

  attachReceiver(linkId: number, store: MessageStore, receiveMode: ReceiveMode): void {
    checkMayReceive(store);
    this.#assertNew(linkId);
    store.receiverCount += 1;
    this.#receivers.set(linkId, new Receiver(linkId, store, receiveMode));
  }

  findReceiver(linkId: number): Receiver | undefined {
    return this.#receivers.get(linkId);
  }

  /**
   * Its credit is gone, its locks run on (LNK-01), and no count changes (DLV-04). A link already gone is left alone: both
   * ends may detach at once.
   */
  detach(linkId: number): void {
    const receiver = this.#receivers.get(linkId);
    if (receiver !== undefined) {
      receiver.store.credits.setCredit(receiver, 0);
      receiver.store.receiverCount -= 1;
    }
    this.#receivers.delete(linkId);
    this.#senders.delete(linkId);
  }

  /** ENT-07: what the queue's status no longer allows is detached. */
  detachDisabled(queue: Queue, turn: TurnInProgress): void {
    if (!queue.canSend) this.#detachAll(queue, this.#senders, entityDisabled, turn);
    if (!queue.canReceive) this.#detachAll(queue, this.#receivers, entityDisabled, turn);
  }

  /** ENT-04. */
  detachDeleted(queue: Queue, turn: TurnInProgress): void {
    this.#detachAll(queue, this.#senders, entityNotFound, turn);
    this.#detachAll(queue, this.#receivers, entityNotFound, turn);
  }

  #detachAll(
    queue: Queue,
    links: ReadonlyMap<number, { readonly store: MessageStore }>,
    errorOf: (path: string) => ServiceBusError,
    turn: TurnInProgress,
  ): void {
    for (const [linkId, { store }] of links) {
      if (store.queue !== queue) continue;
      this.detach(linkId);
      turn.touch(store);
      turn.effects.push({ kind: 'detach', linkId, error: errorOf(store.path) });
    }
  }

  #assertNew(linkId: number): void {
    assert(!this.#senders.has(linkId) && !this.#receivers.has(linkId), 'a link id was used twice');
  }
}

function checkMayReceive({ queue, isDeadLetterQueue, path }: MessageStore): void {
  if (!queue.canReceive) throw entityDisabled(path);
  if (queue.description.requiresSession && !isDeadLetterQueue) {
    // RCV-10, DLQ-03
    const text =
      'It is not possible for an entity that requires sessions to create a non-sessionful message receiver.';
    throw new ServiceBusError('not-allowed', text, path);
  }
}
