// The node that a link of a JMS client asks for: a queue or a topic, and what a link means that names none.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { entryOf, integerOf, itemsOf, textOf } from '../../codec/read-value.js';
import { decodeTerminus, type Terminus } from '../../codec/terminus.js';
import { destinationTypeOf } from '../address.js';
import type { Link } from '../protocol/link-table.js';

export type NodeKind = { readonly type: 'queue' | 'topic'; readonly isTemporary: boolean };

/** `temporary`: a node is to be made; `anonymous`: each message names its own; `unsubscribe`: a subscription is to go. */
export type UnnamedNode =
  | ({ readonly kind: 'temporary'; readonly terminus: Uint8Array } & Pick<NodeKind, 'type'>)
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'unsubscribe' };

const TYPES = ['queue', 'topic'] as const;
const DELETE_ON_CLOSE: readonly (string | number | undefined)[] = [0x2b, 'amqp:delete-on-close:list'];

/** By its capability, or else by the kind that its address begins with (JMS-14); undefined if neither says it. */
export function nodeKindOf({
  capabilities,
  address,
}: Pick<Terminus, 'capabilities' | 'address'>): NodeKind | undefined {
  for (const type of TYPES) {
    if (capabilities?.includes(type)) return { type, isTemporary: false };
    if (capabilities?.includes(`temporary-${type}`)) return { type, isTemporary: true };
  }
  const type = address === undefined ? undefined : destinationTypeOf(address);
  return type && { type, isTemporary: false };
}

/** Undefined for a link that names its node. Throws ServiceBusError for a node that is not to be deleted with its link (JMS-40). */
export function unnamedNodeOf({ role, attach }: Link): UnnamedNode | undefined {
  const encoded = role === 'sender' ? attach.target : attach.source;
  const terminus = decodeTerminus(encoded);
  if (encoded !== undefined && terminus?.dynamic === true) {
    checkLifetime(terminus);
    return { kind: 'temporary', terminus: encoded, type: nodeKindOf(terminus)?.type ?? 'queue' };
  }
  if (role === 'receiver') return terminus === undefined ? { kind: 'unsubscribe' } : undefined;
  return terminus?.address === undefined || terminus.address === '' ? { kind: 'anonymous' } : undefined;
}

function checkLifetime({ dynamicNodeProperties }: Terminus): void {
  const policy = entryOf(dynamicNodeProperties, 'lifetime-policy');
  if (policy === undefined || policy.value === null) return;
  const { descriptor } = policy;
  if (DELETE_ON_CLOSE.includes(integerOf(descriptor) ?? textOf(descriptor)) && itemsOf(policy) !== undefined)
    return;
  const text =
    "A temporary queue or topic lives as long as its link: its lifetime-policy must be 'delete-on-close', or be left out.";
  throw new ServiceBusError('not-implemented', text, { property: 'lifetime-policy' });
}
