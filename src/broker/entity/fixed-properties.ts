// Properties that are fixed when an entity is created, and the words in which a change is refused.

import { ServiceBusError } from '../service-bus-error.js';

/** By the first sentence, which names the field, clients of Azure know the error. */
const REFUSALS = {
  requiresSession: (type: string) =>
    `The value for the RequiresSession property of an existing ${type} cannot be changed.`,
  requiresDuplicateDetection: (type: string) =>
    `The value for the requires duplicate detection property of an existing ${type} cannot be changed.`,
  enablePartitioning: (type: string) => `Partitioning cannot be changed for ${type}.`,
} as const;

export type FixedProperty = keyof typeof REFUSALS;

/** Throws not-allowed (SES-01, PRT-01, DUP-01). `path` is that of the entity. */
export function checkFixed<Field extends FixedProperty>(
  fields: readonly Field[],
  { before, after }: Readonly<Record<'before' | 'after', Readonly<Record<Field, boolean>>>>,
  { type, path }: { readonly type: 'Queue' | 'Topic' | 'Subscription'; readonly path: string },
): void {
  const field = fields.find((one) => before[one] !== after[one]);
  if (field === undefined) return;
  const hint = `${field} of '${path}' is ${before[field]}: delete it and create it anew.`;
  const data = { entityPath: path, about: 'fixed-property', property: field, value: after[field] } as const;
  throw new ServiceBusError('not-allowed', `${REFUSALS[field](type)} ${hint}`, data);
}
