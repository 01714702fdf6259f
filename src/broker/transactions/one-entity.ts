// Restricts a transaction to one entity and, if partitioned, one partition (TXN-03); sends to other entities become transfers.

import type { StepCommand } from '../contract/command.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { keyOf, partitionIdOf, partitionOf } from '../store/partition.js';
import type { MessageStore, Queue } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { Transaction } from './transaction.js';

type InStore = Extract<StepCommand, { readonly entityPath: string }>;

/** TXN-10: in cross-entity form, a send to another entity goes through the first. */
export function routeThroughVia<C extends InStore>(
  command: C,
  via: string | undefined,
  { namespace }: BrokerParts,
): C | Extract<StepCommand, { kind: 'transfer' }> {
  if (via === undefined || command.kind !== 'send') return command;
  const first = namespace.store(via).queue.topLevel;
  if (namespace.store(command.entityPath).queue.topLevel === first) return command;
  if (command.reservesNumbers === true) throw spansEntities(command.entityPath);
  const { entityPath: destination, messages, isBatch = false } = command;
  return { kind: 'transfer', entityPath: first.main.path, destination, messages, isBatch };
}

/** Throws not-allowed. `store` is the store that the command is for. */
export function restrictToOneEntity(
  transaction: Transaction,
  command: InStore,
  store: MessageStore,
  via: string | undefined,
  parts: BrokerParts,
): void {
  const entity = store.queue.topLevel;
  const first = via === undefined ? entity : parts.namespace.store(via).queue.topLevel;
  transaction.entity ??= first;
  if (transaction.entity !== entity) throw spansEntities(store.path); // TXN-03
  for (const partitionId of partitionsOf(command, entity, parts)) {
    transaction.partitionId ??= partitionId;
    if (transaction.partitionId !== partitionId) throw spansEntities(store.path);
  }
}

/** PRT-04: the partitions that the command needs. A message without a key may go to any, so it needs none. */
function partitionsOf(command: InStore, { description }: Queue, { locks }: BrokerParts): readonly number[] {
  if (!description.enablePartitioning) return [];
  switch (command.kind) {
    case 'send':
      return command.messages
        .map((message) => keyOf(description, message))
        .filter(isKey)
        .map(partitionOf);
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
    .map((token) => locks.present(token)?.message.sequenceNumber)
    .filter((number) => number !== undefined)
    .map(partitionIdOf);
}

function isKey(key: string | undefined): key is string {
  return key !== undefined;
}

function spansEntities(entityPath: string): ServiceBusError {
  const text = 'Local transactions cannot span multiple entities or partitions.';
  return new ServiceBusError('not-allowed', text, { entityPath });
}
