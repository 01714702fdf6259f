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

const SYSTEM: Attributes = {
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

export type OperationType = 'send' | 'receive' | 'settle';

/** The name and the attributes that all spans of one operation of an entity have. */
type SpanKind = { readonly name: string; readonly attributes: Attributes };

/** More than the operations of 1,000 entities, as those that are gone stay here until then. */
const MAX_KINDS = 20_000;

/** Keeps the kinds of spans that were made: making their attributes anew costs more than all the rest of a span. */
export class SpanKinds {
  readonly #byName = new Map<string, SpanKind>();

  of(operation: string, type: OperationType | undefined, path: string): SpanKind {
    const name = `${operation} ${path}`;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const typed: Attributes = type === undefined ? {} : { [ATTRIBUTE.operationType]: type };
    const attributes = {
      ...SYSTEM,
      [ATTRIBUTE.operationName]: operation,
      ...typed,
      ...entityAttributes(path),
    };
    if (this.#byName.size >= MAX_KINDS) this.#byName.clear();
    const kind = { name, attributes };
    this.#byName.set(name, kind);
    return kind;
  }
}
