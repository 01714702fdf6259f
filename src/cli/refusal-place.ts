// The refusal of a configured entity, with the place where that entity was asked for.

import { ConfigError, type RefusedProperty } from '../config/config-error.js';
import type { ConfiguredEntities } from '../config/configured-entities.js';
import { indexOfName } from '../config/configured-topic.js';
import type { Settings } from '../config/settings.js';

/** Any other error is left as it is. */
export function withPlace(
  error: unknown,
  placeOf: (refused: RefusedProperty) => string | undefined,
): unknown {
  if (!(error instanceof ConfigError) || error.refused === undefined) return error;
  const { kind, message, cause, refused } = error;
  const place = placeOf(refused);
  const problems = place === undefined ? [] : [`It is asked for by ${place}`];
  return new ConfigError(kind, message, problems, cause, refused);
}

/** A place in the config file, or the flag or variable that names the entity. */
export function placeOf(
  refused: RefusedProperty,
  settings: Settings,
  configured: ConfiguredEntities,
): string | undefined {
  const { topicName, name } = refused.entity;
  const queueNames = configured.queues.map((queue) => queue.name);
  const isQueue = topicName === undefined && indexOfName(name, queueNames) >= 0;
  return configured.placeOf(refused) ?? (isQueue ? settings.queuesFrom : settings.topicsFrom);
}
