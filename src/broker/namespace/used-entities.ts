// Queues and topics that JMS clients make by using them: those that are missing, and temporary ones (JMS-10, JMS-40).

import type { UsedEntity } from '../contract/command.js';
import { checkDescription } from '../contract/entities/description-check.js';
import type { DescribedEntity } from '../contract/entities/entity.js';
import { alreadyExists } from '../contract/entities/entity-errors.js';
import { describeQueue } from '../contract/entities/queue-description.js';
import { describeTopic } from '../contract/entities/topic-description.js';
import { NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { entityResult } from '../queue/link-commands.js';
import type { CheckedSelector } from '../queue/links.js';
import type { Queue } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { deleteEntity } from './delete-entity.js';
import { createEntity, withDefaults } from './put-entity.js';

type Plain = Omit<UsedEntity, 'mayCreate'>;
type CheckedTemporary = {
  readonly entity: DescribedEntity;
  /** Its maker's, if that is a receiver (JMS-81). */
  readonly selector: CheckedSelector | undefined;
};

/** Makes the entity if it is missing. Throws if it may not be made, and for an entity of the other type. */
export function useEntity(used: UsedEntity, parts: BrokerParts, turn: TurnInProgress): void {
  const existing = parts.namespace.findTopLevel(used.name);
  if (existing !== undefined) {
    checkType(existing, used);
    return;
  }
  if (!used.mayCreate) throw mayNotCreate(used.name);
  createEntity(checked(used, parts.limits), [], parts, turn);
}

/** Makes a temporary entity. Its link is an ordinary sender (JMS-42), and no entity may have the name (JMS-45). */
export const ATTACH_TEMPORARY = inNamespace(
  ({ type, name, selector }: CommandOf<'attach-temporary'>, parts: BrokerParts): CheckedTemporary => {
    const { namespace, links, limits } = parts;
    if (namespace.findTopLevel(name) !== undefined) throw alreadyExists(name);
    return {
      entity: checked({ type, name, autoDeleteOnIdleMs: NEVER }, limits),
      selector: selector === undefined ? undefined : links.checkSelector(selector, { path: name }, parts),
    };
  },
  ({ entity, selector }: CheckedTemporary, { linkId, role, receiveMode, client }, parts, turn) => {
    const { main } = createEntity(entity, [], parts, turn, { isVolatile: true }); // JMS-26: for all clients an entity like others
    const { links, limits } = parts;
    if (role === 'sender') links.attachSender(linkId, main, { isKeeper: true });
    else links.attachReceiver({ linkId, store: main, receiveMode, client, isKeeper: true, selector });
    return entityResult(main, limits);
  },
);

/** JMS-43, JMS-58: deletes the volatile entities whose last keeper has gone. */
export function deleteUnkept(parts: BrokerParts, turn: TurnInProgress): void {
  for (const queue of parts.links.takeUnkept()) {
    if (parts.namespace.holds(queue.main)) deleteEntity(queue, parts, turn);
  }
}

function checked(plain: Plain, limits: Limits): DescribedEntity {
  const entity = described(plain);
  checkDescription(entity, limits);
  return withDefaults(entity, limits);
}

function described({ type, name, autoDeleteOnIdleMs }: Plain): DescribedEntity {
  if (type === 'topic') return { type, description: describeTopic(name, { autoDeleteOnIdleMs }) };
  return { type, description: describeQueue(name, { autoDeleteOnIdleMs }) };
}

/** JMS-12. */
function checkType({ type: present }: Queue, { type, name }: Plain): void {
  if (present === type) return;
  const text = `'${name}' is a ${present}, and not a ${type}: use it as the ${present} that it is, or take another name.`;
  throw new ServiceBusError('not-allowed', text, { entityPath: name, about: 'name-in-use' });
}

/** JMS-11. */
export function mayNotCreate(path: string): ServiceBusError {
  const text = "Unauthorized access. 'Manage' claim(s) are required to perform this operation.";
  return new ServiceBusError('unauthorized', text, { entityPath: path });
}
