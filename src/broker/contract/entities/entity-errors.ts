// Errors for an entity that is missing, disabled, already present, or changed by the same step.

import { type RefusalData, ServiceBusError } from '../service-bus-error.js';

/** ERR-04: clients match on this text. */
export function entityNotFound(path: string): ServiceBusError {
  const text = `The messaging entity '${path}' could not be found.`;
  return new ServiceBusError('entity-not-found', text, { entityPath: path });
}

export function entityDisabled(path: string): ServiceBusError {
  const text = `The messaging entity '${path}' is currently disabled.`;
  return new ServiceBusError('entity-disabled', text, { entityPath: path });
}

/** ENT-03, TOP-11. */
export function alreadyExists(path: string, data: RefusalData = {}): ServiceBusError {
  const text = `The messaging entity '${path}' already exists.`;
  return new ServiceBusError('entity-already-exists', text, { entityPath: path, ...data });
}

/** `what` is a subject with its verb, as in `The rules of 'x' are`. */
export function changedInStep(what: string, path: string): ServiceBusError {
  const text = `${what} changed by an earlier command of the same step; do the one after the other.`;
  return new ServiceBusError('not-allowed', text, { entityPath: path, about: 'same-step' });
}
