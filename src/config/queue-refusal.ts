// What kind of mistake it was when the broker refused a configured queue.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import { LIMITS_OF_TIER, type Limits } from '../broker/limits.js';
import type { ServiceBusError } from '../broker/service-bus-error.js';
import { ConfigError, type ConfigErrorKind } from './config-error.js';
import { TIERS } from './options.js';

/** What a queue keeps from its creation on. */
const FIXED = ['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'] as const;

/** The broker's refusal as a mistake of who configured the queue; undefined when it is none. */
export function refusedQueue(
  queue: QueueDescription,
  limits: Limits,
  error: ServiceBusError,
): ConfigError | undefined {
  switch (error.reason) {
    case 'argument':
    case 'argument-out-of-range':
      return inTheWordsOf(error, 'queue-beyond-limits');
    case 'not-implemented':
      return inTheWordsOf(error, 'queue-not-implemented');
    case 'not-allowed':
      return beyondTier(queue, limits, error) ?? fixed(queue, error);
    default:
      return undefined;
  }
}

function inTheWordsOf(error: ServiceBusError, kind: ConfigErrorKind): ConfigError {
  return new ConfigError(kind, error.message, [], error);
}

function beyondTier(
  queue: QueueDescription,
  limits: Limits,
  cause: ServiceBusError,
): ConfigError | undefined {
  const property =
    (queue.requiresSession && !limits.hasSessions && 'requiresSession') ||
    (queue.requiresDuplicateDetection && !limits.hasDuplicateDetection && 'requiresDuplicateDetection');
  if (!property) return undefined;
  const message = `${property} of queue '${queue.name}' is true, and the tier ${tierOf(limits)} does not have it`;
  return new ConfigError('queue-beyond-tier', message, [], cause, { queueName: queue.name, property });
}

/** The one with these features, whether its sizes apply or not. */
function tierOf({ hasSessions, hasDuplicateDetection }: Limits): string | undefined {
  return TIERS.find((tier) => {
    const limits = LIMITS_OF_TIER[tier];
    return limits.hasSessions === hasSessions && limits.hasDuplicateDetection === hasDuplicateDetection;
  });
}

/** The broker's words begin with the property. What is true or false and not as wanted is the other one. */
function fixed(queue: QueueDescription, cause: ServiceBusError): ConfigError {
  const property = FIXED.find((name) => cause.message.startsWith(`${name} `));
  if (property === undefined) return inTheWordsOf(cause, 'queue-fixed');
  const wanted = queue[property];
  const message = `Queue '${queue.name}' was created by an earlier start with ${property} ${!wanted}, which cannot become ${wanted}`;
  return new ConfigError('queue-fixed', message, [], cause, { queueName: queue.name, property });
}
