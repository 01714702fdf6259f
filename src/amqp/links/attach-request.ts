// Reads from an attach which node a client asks for, in which role, and refuses what is not offered.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { entriesOf, entryOf, textOf } from '../../codec/read-value.js';
import { decodeTerminus, type Terminus } from '../../codec/terminus.js';
import { MAX_ADDRESS_LENGTH, tooLong } from '../../codec/text-limits.js';
import type { LinkRole } from '../../watch/client-activity.js';
import { type NodeAddress, readAddress } from '../address.js';
import { describeValue } from '../describe-value.js';
import type { Link } from '../protocol/link-table.js';
import type { SenderLink } from '../protocol/sender-link.js';
import { type Destination, TRANSFER_DESTINATION } from './entity-sender.js';
import { type FilterKind, filterKindOf, isCopy } from './receiver-source.js';

/** JMS-02 */
const JMS_2 = 'Connect with azure-servicebus-jms, or start Jitney with --jms all for Qpid JMS.';
/** Filters that are refused, because they would change which messages are received. All others are ignored, and left out of the answer. */
const REFUSED_FILTERS: Readonly<Partial<Record<FilterKind, string>>> = {
  'non-exclusive-session': 'Sessions that are not held exclusively are not offered.',
  selector: `Only JMS 2.0 connections have message selectors, and no receiver of sessions has one. ${JMS_2}`,
};
const NO_DYNAMIC_NODES =
  'Only JMS 2.0 connections have temporary queues and topics (createTemporaryQueue and createTemporaryTopic of JMS, dynamic nodes ' +
  `of AMQP). ${JMS_2} Or create a queue with a name, and use that name.`;
const NO_TOPIC_CONSUMERS =
  'Only JMS 2.0 connections have consumers of topics (createConsumer, createDurableConsumer and createSharedConsumer of JMS). ' +
  `${JMS_2} Or create a subscription, and receive from the queue '<topic>/Subscriptions/<name>'.`;
const NO_ANONYMOUS_SENDERS =
  'A sender needs the name of a queue or topic as its target address. Only JMS 2.0 connections have senders without one (anonymous ' +
  `links), which take each message to the address in its 'to'. ${JMS_2} Or open a sender for each queue or topic.`;
/** JMS unsubscribes by attaching a receiver without a source. */
const NO_UNSUBSCRIBING =
  'A receiver needs the path of a queue or subscription as its source address. JMS opens one without it to unsubscribe, which only ' +
  `JMS 2.0 connections can. ${JMS_2} Or delete the subscription with an administration client.`;

/** The node of a link: the target of a sender, the source of a receiver. Throws ServiceBusError if none is offered there. */
export function nodeOf(link: Link): Terminus & { address: string } {
  const isSender = link.role === 'sender';
  const terminus = decodeTerminus(isSender ? link.attach.target : link.attach.source);
  if (terminus?.kind === 'coordinator') {
    throw new ServiceBusError(
      'not-allowed',
      'A coordinator sends nothing; it is the target of a link on which transactions are declared.',
    );
  }
  if (terminus?.dynamic === true) throw new ServiceBusError('not-implemented', NO_DYNAMIC_NODES);
  if (terminus?.address === undefined || terminus.address === '') {
    throw new ServiceBusError('not-implemented', isSender ? NO_ANONYMOUS_SENDERS : NO_UNSUBSCRIBING);
  }
  return { ...terminus, address: terminus.address };
}

export function isCoordinator(link: SenderLink): boolean {
  return decodeTerminus(link.attach.target)?.kind === 'coordinator';
}

/** The entity to which a sender sends through the entity of its link. Throws ServiceBusError if the property cannot be read. */
export function destinationOf(link: Link): Destination | undefined {
  const given = link.role === 'sender' ? entryOf(link.attach.properties, TRANSFER_DESTINATION) : undefined;
  if (given === undefined || given.value === null) return undefined;
  const address = textOf(given);
  const problem = tooLong(`The link property '${TRANSFER_DESTINATION}'`, address ?? '', MAX_ADDRESS_LENGTH);
  if (problem !== undefined) throw new ServiceBusError('argument', problem);
  const node = address === undefined ? undefined : readAddress(address);
  if (address !== undefined && node?.kind === 'entity') return { address, entityPath: node.entityPath };
  throw new ServiceBusError(
    'argument',
    `The link property '${TRANSFER_DESTINATION}' is ${describeValue(given)}; it must be the name of a queue or topic, as a string.`,
  );
}

export function managementPathOf(entityPath: string): string {
  return `${entityPath}/$management`;
}

export function roleOf(link: Link, terminus: Terminus, { kind }: NodeAddress): LinkRole {
  if (kind !== 'entity') return 'management';
  if (link.role === 'sender') return 'sender';
  if (isCopy(terminus)) return 'browser';
  const wantsSession = entriesOf(terminus.filter)?.some((entry) => filterKindOf(entry) === 'session');
  return wantsSession === true ? 'session-receiver' : 'receiver';
}

export function cannotBrowse(entityPath: string): ServiceBusError {
  const text =
    "The source asks for a session and says distribution-mode 'copy': a session cannot be browsed by a link. " +
    'Peek at its messages, or leave the mode out to receive them.';
  return new ServiceBusError('not-allowed', text, {
    entityPath,
    property: 'distribution-mode',
    value: 'copy',
  });
}

/** JMS-02: the source of a consumer that JMS knows as one of a topic. Throws ServiceBusError. */
export function refuseTopicConsumers({ capabilities }: Terminus, entityPath: string): void {
  if (capabilities?.includes('topic') === true || capabilities?.includes('shared') === true) {
    throw new ServiceBusError('not-implemented', NO_TOPIC_CONSUMERS, { entityPath });
  }
}

/** `takesSelector`: whether a selector will be applied. */
export function refuseFilters({ filter }: Terminus, entityPath: string, takesSelector: boolean): void {
  for (const entry of entriesOf(filter) ?? []) {
    const kind = filterKindOf(entry);
    const message = kind && (kind === 'selector' && takesSelector ? undefined : REFUSED_FILTERS[kind]);
    if (message !== undefined) throw new ServiceBusError('not-implemented', message, { entityPath });
  }
}
