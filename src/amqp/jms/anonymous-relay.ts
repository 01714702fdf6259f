// A sender without a target address: each of its messages names the entity that it goes to (JMS-21).

import type { UsedEntity } from '../../broker/contract/command.js';
import { parseEntityPath } from '../../broker/contract/entities/entity-path.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { readDestination } from '../../content/read-destination.js';
import { destinationTypeOf, readAddress } from '../address.js';
import type { Relay } from '../links/entity-sender.js';

const TYPES = ['queue', 'topic'] as const;

type RelayOptions = {
  /** The limit of the tier (JMS-22). */
  readonly maxMessageSizeBytes: number;
  /** The error of a client that may not send to this entity. */
  readonly unauthorized: (entityPath: string) => ServiceBusError | undefined;
  /** The entity to be made if it is missing. */
  readonly used: (type: 'queue' | 'topic', entityPath: string) => UsedEntity | undefined;
};

export function anonymousRelay({ maxMessageSizeBytes, unauthorized, used }: RelayOptions): Relay {
  return {
    limits: {
      kind: 'entity',
      path: '',
      isTopic: false,
      maxMessageSizeBytes,
      maxBatchSizeBytes: maxMessageSizeBytes,
    },
    entityPathOf(payload) {
      const { address = '' } = readDestination(payload);
      if (address === '') {
        const text =
          "The message has no 'to', which an anonymous sender needs: write the queue or topic of each message there.";
        throw new ServiceBusError('invalid-field', text, { property: 'to' });
      }
      const node = readAddress(address);
      if (node.kind !== 'entity') {
        const text = `The message is to '${address}', which is no queue or topic.`;
        throw new ServiceBusError('not-allowed', text, { property: 'to', value: address });
      }
      const error = unauthorized(node.entityPath);
      if (error !== undefined) throw error;
      return node.entityPath;
    },
    entityOf(payload, entityPath) {
      const { kind, address } = readDestination(payload);
      const type = kind === undefined ? destinationTypeOf(address ?? '') : TYPES[kind];
      return type && used(type, entityPath);
    },
  };
}

/** Whether an entity of this path could be made: what lies below another one cannot (JMS-10). */
export function isTopLevel(entityPath: string): boolean {
  const { storeKind, subscriptionName } = parseEntityPath(entityPath);
  return storeKind === 'main' && subscriptionName === undefined && !entityPath.includes('$');
}
