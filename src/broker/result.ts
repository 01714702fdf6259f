// What a command answers to the one who asked: values only, never the broker's own objects.

import type { Instant } from './instant.js';
import type { ServiceBusError } from './service-bus-error.js';

export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: ServiceBusError }
  /** Of `find-entity`, `attach-sender` and `attach-receiver`. */
  | { readonly kind: 'entity'; readonly path: string; readonly maxMessageSizeBytes: number }
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly Instant[] };
