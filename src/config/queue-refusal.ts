// What kind of mistake it was when the broker refused a configured queue.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import type { Limits } from '../broker/limits.js';
import type { ServiceBusError } from '../broker/service-bus-error.js';
import { ConfigError, type ConfigErrorKind } from './config-error.js';

/** The broker's refusal as a mistake of who configured the queue; undefined when it is none. */
export function refusedQueue(
  queue: QueueDescription,
  limits: Limits,
  error: ServiceBusError,
): ConfigError | undefined {
  const kind = kindOf(queue, limits, error);
  return kind === undefined ? undefined : new ConfigError(kind, error.message, [], error);
}

function kindOf(
  queue: QueueDescription,
  limits: Limits,
  { reason }: ServiceBusError,
): ConfigErrorKind | undefined {
  switch (reason) {
    case 'argument':
    case 'argument-out-of-range':
      return 'queue-beyond-limits';
    case 'not-implemented':
      return 'queue-not-implemented';
    case 'not-allowed':
      return isBeyondTier(queue, limits) ? 'queue-beyond-tier' : 'queue-fixed';
    default:
      return undefined;
  }
}

function isBeyondTier(queue: QueueDescription, limits: Limits): boolean {
  return (
    (queue.requiresDuplicateDetection && !limits.hasDuplicateDetection) ||
    (queue.requiresSession && !limits.hasSessions)
  );
}
