// Which call to send or receive a request is meant to be, where an entity may have a name of the same shape.

import type { HttpCall } from '../http-call.js';
import type { HttpEngine } from '../http-context.js';
import { type RuntimeCall, readRuntimeCall } from './runtime-call.js';

/**
 * Undefined: it is about an entity. A queue may be called `x/messages/head`: then it can be deleted, and who wants the
 * messages of `x` must ask by POST.
 */
export async function meantCall(
  { request, path }: HttpCall,
  engine: Pick<HttpEngine, 'ask'>,
): Promise<RuntimeCall | undefined> {
  const call = readRuntimeCall(request, path);
  if (call === undefined || request.method !== 'DELETE') return call;
  const found = await engine.ask({ kind: 'find-entity', entityPath: path.join('/') });
  return found.kind === 'entity' ? undefined : call;
}
