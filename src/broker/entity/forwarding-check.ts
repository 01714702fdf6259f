// Where an entity may forward to: one that is there and takes messages, be it itself or its own topic (FWD-02).

import { ServiceBusError } from '../service-bus-error.js';
import { subscriptionPathOf } from './entity-path.js';
import type { QueueDescription } from './queue-description.js';

type Forwarding = Pick<
  QueueDescription,
  'name' | 'forwardTo' | 'forwardDeadLetteredMessagesTo' | 'requiresSession'
> &
  Partial<Pick<QueueDescription, 'enablePartitioning'>>;

/**
 * Of a queue, or of a subscription of this topic. `isThere` says whether a queue or topic has a name. Throws argument or
 * not-allowed.
 */
export function checkForwarding(
  { name, forwardTo, forwardDeadLetteredMessagesTo, requiresSession, enablePartitioning = false }: Forwarding,
  topicName: string | undefined,
  isThere: (name: string) => boolean,
): void {
  const path = topicName === undefined ? name : subscriptionPathOf(topicName, name);
  const what = `${topicName === undefined ? 'queue' : 'subscription'} '${path}'`;
  if (forwardTo !== undefined && requiresSession && !enablePartitioning) {
    const text = `${what} requires sessions, and such an entity cannot forward its messages, unless it is a partitioned queue.`; // SES-19
    const data = { entityPath: path, about: 'forwarding', property: 'forwardTo', value: forwardTo } as const;
    throw new ServiceBusError('not-allowed', text, data);
  }
  for (const [field, destination] of Object.entries({ forwardTo, forwardDeadLetteredMessagesTo })) {
    if (destination === undefined) continue;
    if (isThere(destination)) continue;
    const text = `${field} of ${what} is '${destination}', and there is no such queue or topic; create it first.`;
    const data = { entityPath: path, about: 'forwarding', property: field, value: destination } as const;
    throw new ServiceBusError('argument', text, data);
  }
}
