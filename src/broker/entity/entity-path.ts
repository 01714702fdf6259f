// How entities are addressed: a queue by its name, its dead-letter queue by a suffix; case does not matter (ENT-02, DLQ-01).

const DEAD_LETTER_SUFFIX = '/$DeadLetterQueue';

export type EntityPath = { readonly queueName: string; readonly isDeadLetterQueue: boolean };

export function parseEntityPath(path: string): EntityPath {
  const isDeadLetterQueue = path.toLowerCase().endsWith(DEAD_LETTER_SUFFIX.toLowerCase()); // DLQ-01
  const queueName = isDeadLetterQueue ? path.slice(0, -DEAD_LETTER_SUFFIX.length) : path;
  return { queueName, isDeadLetterQueue };
}

export function deadLetterPathOf(queueName: string): string {
  return queueName + DEAD_LETTER_SUFFIX;
}

/** Equal for names that mean the same entity. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
