// What the broker answers, as the one kind of result that is expected; its refusals are thrown.

import type { Result } from '../broker/result.js';

/** Throws the ServiceBusError of a result that is one. */
export function expectResult<Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): Extract<Result, { readonly kind: Kind }> {
  if (result.kind === 'failed') throw result.error;
  if (isOfKind(result, kind)) return result;
  throw new Error(`the broker answered '${result.kind}' where '${kind}' was expected`);
}

function isOfKind<Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): result is Extract<Result, { readonly kind: Kind }> {
  return result.kind === kind;
}
