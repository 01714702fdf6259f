// Paths of dead-letter queues, and where their messages come from.

import { usageError } from '../output/error-report.js';

const DEAD_LETTERS = '/$DeadLetterQueue';

/** The dead-letter queue of an entity, or the path itself if it is one. */
export function deadLetterPath(entity: string): string {
  return isDeadLetterPath(entity) ? entity : `${entity}${DEAD_LETTERS}`;
}

export function isDeadLetterPath(entity: string): boolean {
  return entity.toLowerCase().endsWith(DEAD_LETTERS.toLowerCase());
}

/** The queue or topic to which dead letters are sent again: for a subscription its topic. Throws a JitneyError. */
export function resubmitPath(entity: string): string {
  const owner = isDeadLetterPath(entity) ? entity.slice(0, -DEAD_LETTERS.length) : entity;
  if (owner.includes('/$'))
    throw usageError(`'${entity}' has no dead letters of its own: name a queue or subscription`);
  return owner.replace(/\/subscriptions\/[^/]+$/i, '');
}
