// Which right a request needs, and at which entity: Send and Listen for messages, Manage for the administration.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { lackingRights } from '../security/access-wording.js';
import type { HttpCall } from './http-call.js';
import type { RuntimeCall } from './runtime/runtime-call.js';

export type NeededAccess = {
  readonly right: AccessRight;
  /** Empty: the namespace. */
  readonly entityPath: string;
  readonly method: string;
};

/** What reads, writes or deletes a description, as the service names it. */
const MANAGING: Readonly<Record<string, string>> = { PUT: 'EntityWrite', DELETE: 'EntityDelete' };

/** `meant`: undefined where the request is about an entity. */
export function neededAccess({ request, path }: HttpCall, meant: RuntimeCall | undefined): NeededAccess {
  const { method } = request;
  const joined = path.join('/');
  if (meant === undefined) {
    // Of what is reserved, such as `$Resources/queues`, no entity has a say.
    return { right: 'Manage', entityPath: joined.startsWith('$') ? '' : joined, method };
  }
  return { right: rightFor(meant), entityPath: 'entityPath' in meant ? meant.entityPath : joined, method };
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
