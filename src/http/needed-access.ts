// Which right a request needs, and at which entity: Send and Listen for messages, Manage for the administration.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { lackingRights } from '../security/access-wording.js';
import type { HttpCall } from './http-call.js';
import type { HttpEngine } from './http-context.js';
import { type RuntimeCall, readRuntimeCall } from './runtime/runtime-call.js';

export type NeededAccess = {
  readonly right: AccessRight;
  /** Empty: the namespace. */
  readonly entityPath: string;
  readonly method: string;
};

/** What reads, writes or deletes a description, as the service names it. */
const MANAGING: Readonly<Record<string, string>> = { PUT: 'EntityWrite', DELETE: 'EntityDelete' };

export async function neededAccess(
  { request, path }: HttpCall,
  engine: Pick<HttpEngine, 'ask'>,
): Promise<NeededAccess> {
  const { method } = request;
  const joined = path.join('/');
  const call = readRuntimeCall(request, path);
  // An entity may be called `x/messages/head`: then it is the entity that is deleted.
  if (call === undefined || (method === 'DELETE' && (await isEntity(joined, engine)))) {
    // Of what is reserved, such as `$Resources/queues`, no entity has a say.
    return { right: 'Manage', entityPath: joined.startsWith('$') ? '' : joined, method };
  }
  return { right: rightFor(call), entityPath: 'entityPath' in call ? call.entityPath : joined, method };
}

/** In the service's words. */
export function lackingAccess({ right, entityPath, method }: NeededAccess, host: string): string {
  return right === 'Manage'
    ? `Manage,${MANAGING[method] ?? 'EntityRead'} claims required for this operation.`
    : lackingRights([right], host, entityPath);
}

function rightFor({ kind }: RuntimeCall): AccessRight {
  switch (kind) {
    case 'send':
      return 'Send';
    case 'receive':
    case 'settle':
    case 'no-token':
    // Which is answered with what there is: to be told that, any right would do, and this is the least.
    case 'no-call':
      return 'Listen';
    default:
      return kind satisfies never;
  }
}

async function isEntity(entityPath: string, engine: Pick<HttpEngine, 'ask'>): Promise<boolean> {
  const found = await engine.ask({ kind: 'find-entity', entityPath });
  return found.kind === 'entity';
}
