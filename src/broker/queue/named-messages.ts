// Bounds the messages that one command names, because it is one turn however many they are.

import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from '../store/queue.js';

/** To dead-letter so many takes 0.5 s. As lock tokens they fill a request of 1 MB, the largest of most clients. */
const MAX_NAMED = 60_000;

/** Throws argument-out-of-range. */
export function checkNamedCount(
  { path }: MessageStore,
  property: 'lockTokens' | 'sequenceNumbers',
  count: number,
): void {
  if (count <= MAX_NAMED) return;
  const text = `One request may name up to ${MAX_NAMED} messages; this one names ${count}. Send several requests.`;
  const data = { entityPath: path, property, value: count, limit: MAX_NAMED };
  throw new ServiceBusError('argument-out-of-range', text, data);
}
