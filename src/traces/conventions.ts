// The names of attributes: those of OpenTelemetry's conventions for messaging and Azure Service Bus, and our own where they have none.

import type { Attributes } from '@opentelemetry/api';

/** The conventions of 1.45. Where they have no name, ours begins with `jitney.`. */
export const ATTRIBUTE = {
  systemName: 'messaging.system.name',
  /** The name of earlier conventions, which the SDKs still write: a search finds both sides. */
  system: 'messaging.system',
  operationName: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  destination: 'messaging.destination.name',
  subscription: 'messaging.destination.subscription.name',
  messageId: 'messaging.message.id',
  correlationId: 'messaging.message.conversation_id',
  sizeBytes: 'messaging.message.envelope.size',
  deliveryCount: 'azure.servicebus.message.delivery_count',
  disposition: 'azure.servicebus.disposition_status',
  errorType: 'error.type',
  sequenceNumber: 'jitney.sequence_number',
  sessionId: 'jitney.session_id',
  client: 'jitney.client',
  reason: 'jitney.dead_letter.reason',
  description: 'jitney.dead_letter.description',
  movedTo: 'jitney.moved_to',
  renewals: 'jitney.lock_renewals',
  isUnmatched: 'jitney.unmatched',
} as const;

export const SYSTEM: Attributes = {
  [ATTRIBUTE.systemName]: 'azure.servicebus',
  [ATTRIBUTE.system]: 'servicebus',
};

const SUBSCRIPTION = /^([^/]+(?:\/[^/]+)*)\/Subscriptions\/([^/]+(?:\/\$.+)?)$/;

/** The attributes of an entity or one of its sub-queues: a subscription has those of its topic and its own name. */
export function entityAttributes(path: string): Attributes {
  const [, topic, name] = SUBSCRIPTION.exec(path) ?? [];
  if (topic === undefined || name === undefined) return { [ATTRIBUTE.destination]: path };
  return { [ATTRIBUTE.destination]: topic, [ATTRIBUTE.subscription]: name };
}
