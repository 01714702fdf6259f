// Where an entity may forward to: another one that is there and takes messages (FWD-02).

import { ServiceBusError } from '../service-bus-error.js';
import { nameKey } from './entity-path.js';
import type { Namespace } from './namespace.js';
import type { QueueDescription } from './queue-description.js';

type Forwarding = Pick<QueueDescription, 'forwardTo' | 'forwardDeadLetteredMessagesTo' | 'requiresSession'>;

type ForwardingEntity = {
  readonly what: string;
  readonly path: string;
  /** Of a subscription. */
  readonly topicName?: string;
};

/** `what` names the entity for people, such as `queue 'a'`; throws argument or not-allowed. */
export function checkForwarding(
  { forwardTo, forwardDeadLetteredMessagesTo, requiresSession }: Forwarding,
  { what, path, topicName = path }: ForwardingEntity,
  namespace: Namespace,
): void {
  if (forwardTo !== undefined && requiresSession) {
    const text = `${what} requires sessions, and such an entity cannot forward its messages.`; // SES-19
    throw new ServiceBusError('not-allowed', text, path);
  }
  for (const [field, destination] of Object.entries({ forwardTo, forwardDeadLetteredMessagesTo })) {
    if (destination === undefined) continue;
    if ([path, topicName].some((own) => nameKey(own) === nameKey(destination))) {
      const text = `${field} of ${what} is '${destination}', which is itself, or the topic it belongs to.`;
      throw new ServiceBusError('argument', text, path);
    }
    const isThere = (namespace.findQueue(destination) ?? namespace.findTopic(destination)) !== undefined;
    if (isThere) continue;
    const text = `${field} of ${what} is '${destination}', and there is no such queue or topic; create it first.`;
    throw new ServiceBusError('argument', text, path);
  }
}
