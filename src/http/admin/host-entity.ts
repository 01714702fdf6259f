// The queue or topic that the path of an administration request leads to. In the service that entity answers; if there is none, the list
// of public services answers.

import { RequestProblem } from '../error-response.js';
import type { RoutedCall } from '../http-context.js';

export type HostEntity = { readonly updatedTime: number };

/** .NET counts ticks of 100 ns. */
const TICKS_PER_MS = 10_000n;
const TICKS_AT_1970 = 621_355_968_000_000_000n;
/** Everything behind `/$`, such as a dead-letter queue, is part of an entity. */
const PART = /\/\$.*$/s;
const SUBSCRIPTION = /\/subscriptions\/[^/]+$/i;

/** Undefined if the path names no queue or topic that exists. */
export async function findHost({ names, context: { engine } }: RoutedCall): Promise<HostEntity | undefined> {
  const name = (names.entity || names.topic).replace(PART, '');
  for (const candidate of new Set([name, name.replace(SUBSCRIPTION, '')])) {
    if (candidate === '') return undefined;
    const found = await engine.ask({ kind: 'get-entity', entityPath: candidate });
    if (found.kind === 'entity-info' && found.entity.type !== 'subscription') return found.entity;
  }
  return undefined;
}

/** The service's ETag: the time of the last change, in .NET's ticks. */
export function entityTagOf({ updatedTime }: HostEntity): string {
  return String(BigInt(updatedTime) * TICKS_PER_MS + TICKS_AT_1970);
}

/** Throws for a part of an entity, which has no description of its own. */
export function refusePart({ request, names }: RoutedCall): void {
  if (!PART.test(names.entity)) return;
  const owner = names.entity.replace(PART, '');
  throw new RequestProblem(
    400,
    `The specified HTTP verb (${request.method.slice(0, 20)}) is not valid. '${names.entity.slice(0, 300)}' has no description of its own; ask for '${owner.slice(0, 300)}'.`,
  );
}
