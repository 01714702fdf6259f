// The table of what the status of an entity stops, which the rest of the broker asks.

import type { EntityType } from './entity.js';
import type { EntityStatus } from './queue-description.js';

export type Work =
  /** Clients send. */
  | 'send'
  /** Clients receive, settle and renew. Of a topic: from its transfer dead-letter queue. */
  | 'receive'
  /** It takes messages that other entities forward or transfer to it, and a subscription the copies from its topic. */
  | 'arrive'
  /** A scheduled message is enqueued when it falls due. Otherwise it stays scheduled until the status changes. */
  | 'enqueue';

/**
 * The statuses that stop each kind of work. No status stops these (ENT-11):
 * - expiry: messages of a disabled subscription, or of a subscription of a disabled topic, are removed when they expire (docs:
 *   EntityStatus), and those of a queue alike (our decision);
 * - forwarding, and transfers that wait for room: no client takes part (our decision). The destination may refuse (`arrive`);
 * - the end of a lock (ENT-08) and the deletion of an idle entity (our decision).
 */
const STOPPED_BY: Readonly<Record<EntityType, Readonly<Record<Work, readonly EntityStatus[]>>>> = {
  queue: {
    send: ['Disabled', 'SendDisabled'], // ENT-06; docs: suspending
    receive: ['Disabled', 'ReceiveDisabled'], // ENT-06; docs: suspending
    // FWD-08, TXN-11; docs: forwarding. A user saw a SendDisabled queue take forwarded messages; the article decides.
    arrive: ['Disabled', 'SendDisabled'],
    enqueue: [], // SCH-11; our decision: the queue has accepted the message before, and nobody can receive it
  },
  topic: {
    send: ['Disabled', 'SendDisabled'], // ENT-06; docs: suspending
    receive: ['Disabled'], // our decision
    arrive: ['Disabled', 'SendDisabled'], // FWD-08, TXN-11; docs: forwarding
    // SCH-11; observed: the makers of the service say so of Disabled, against the old docs: EntityStatus. SendDisabled has the same
    // effect on a topic (docs: suspending).
    enqueue: ['Disabled', 'SendDisabled'],
  },
  subscription: {
    send: [], // SND-09 refuses it in any status
    receive: ['Disabled', 'ReceiveDisabled'], // ENT-06; docs: suspending
    arrive: [], // ENT-06; docs: EntityStatus; observed
    enqueue: [], // messages wait at the topic (SCH-08)
  },
};

export function isStopped(work: Work, type: EntityType, status: EntityStatus): boolean {
  return STOPPED_BY[type][work].includes(status);
}
