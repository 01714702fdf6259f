// The refusal of a configured entity, with the place where that entity was asked for.

import { ConfigError, type RefusedProperty } from '../config/config-error.js';

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
