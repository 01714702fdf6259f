// How entities are addressed: queues and topics by name, subscriptions within their topic, dead-letter queues by a suffix; case
// does not matter (ENT-02, DLQ-01).

const DEAD_LETTER_SUFFIX = '/$DeadLetterQueue';
const SUBSCRIPTION = /^(.+)\/subscriptions\/([^/]+)$/i;

export type EntityPath = {
  /** Of a queue or a topic. */
  readonly name: string;
  /** Undefined: it is the queue or topic itself. */
  readonly subscriptionName: string | undefined;
  readonly isDeadLetterQueue: boolean;
};

export function parseEntityPath(path: string): EntityPath {
  const isDeadLetterQueue = path.toLowerCase().endsWith(DEAD_LETTER_SUFFIX.toLowerCase()); // DLQ-01
  const base = isDeadLetterQueue ? path.slice(0, -DEAD_LETTER_SUFFIX.length) : path;
  const [, topicName, subscriptionName] = SUBSCRIPTION.exec(base) ?? [];
  return { name: topicName ?? base, subscriptionName, isDeadLetterQueue };
}

export function deadLetterPathOf(path: string): string {
  return path + DEAD_LETTER_SUFFIX;
}

export function subscriptionPathOf(topicName: string, name: string): string {
  return `${topicName}/Subscriptions/${name}`;
}

/** Equal for names that mean the same entity. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
