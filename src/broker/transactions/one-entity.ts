// A transaction is about one entity and, if that is partitioned, one partition of it (TXN-03); to others it sends through that one.

import type { BrokerParts } from '../broker-parts.js';
import type { StepCommand } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Queue } from '../entity/queue.js';
import type { NewMessage } from '../message/message-properties.js';
import { partitionIdOf, partitionOf } from '../message/partition.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { Transaction } from './transaction.js';

type InStore = Extract<StepCommand, { readonly entityPath: string }>;

/** TXN-10: in cross-entity form, a send to another entity goes through the first. */
export function throughVia<C extends InStore>(
  command: C,
  via: string | undefined,
  { namespace, limits }: BrokerParts,
): C | Extract<StepCommand, { kind: 'transfer' }> {
  if (via === undefined || command.kind !== 'send' || !limits.hasOneEntityTransactions) return command;
  const first = namespace.store(via).queue.topLevel;
  if (namespace.store(command.entityPath).queue.topLevel === first) return command;
  if (command.reservesNumbers === true) throw spansEntities(command.entityPath);
  const { entityPath: destination, messages } = command;
  return { kind: 'transfer', entityPath: first.main.path, destination, messages };
}

/** Throws not-allowed. `store` is where the command works. */
export function keepInOneEntity(
  transaction: Transaction,
  command: InStore,
  store: MessageStore,
  via: string | undefined,
  parts: BrokerParts,
): void {
  if (!parts.limits.hasOneEntityTransactions) return;
  const entity = store.queue.topLevel;
  const first = via === undefined ? entity : parts.namespace.store(via).queue.topLevel;
  transaction.entity ??= first;
  if (transaction.entity !== entity) throw spansEntities(store.path);
  for (const partitionId of partitionsOf(command, entity, parts)) {
    transaction.partitionId ??= partitionId;
    if (transaction.partitionId !== partitionId) throw spansEntities(store.path);
  }
}

/** PRT-04. Those that the command names: a message without a key is at home in any. */
function partitionsOf(command: InStore, { description }: Queue, { locks }: BrokerParts): readonly number[] {
  if (!description.enablePartitioning) return [];
  switch (command.kind) {
    case 'send':
      return command.messages.map(keyOf).filter(isKey).map(partitionOf);
    case 'transfer':
      return command.messages
        .map(({ viaPartitionKey }) => viaPartitionKey)
        .filter(isKey)
        .map(partitionOf);
    case 'settle':
      return partitionsOfLocks([command.lockToken], locks);
    case 'settle-many':
      return partitionsOfLocks(command.lockTokens, locks);
    case 'cancel-scheduled':
      return command.sequenceNumbers.map(partitionIdOf);
    case 'set-session-state':
      return [partitionOf(command.session.sessionId)];
    default:
      return [];
  }
}

function partitionsOfLocks(tokens: readonly string[], locks: BrokerParts['locks']): readonly number[] {
  return tokens
    .map((token) => locks.find(token)?.message.sequenceNumber)
    .filter((number) => number !== undefined)
    .map(partitionIdOf);
}

function keyOf({ sessionId, partitionKey }: NewMessage): string | undefined {
  return sessionId ?? partitionKey;
}

function isKey(key: string | undefined): key is string {
  return key !== undefined;
}

function spansEntities(entityPath: string): ServiceBusError {
  const text = 'Local transactions cannot span multiple entities or partitions.';
  return new ServiceBusError('not-allowed', text, { entityPath });
}
