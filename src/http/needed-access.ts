// Which right a request needs, and at which entity: Send and Listen for messages, Manage for the administration.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { lackingRights } from '../security/access-wording.js';
import { type AdminResource, readResource } from './admin/admin-resource.js';
import type { HttpCall } from './http-call.js';
import type { RuntimeCall } from './runtime/runtime-call.js';

export type NeededAccess = {
  /** Undefined: any token that is good will do. */
  readonly right: AccessRight | undefined;
  /** Empty: the namespace. */
  readonly entityPath: string;
  readonly method: string;
};

/** Claims by which a queue or topic is changed. */
const CHANGING: Readonly<Record<string, string>> = { PUT: 'EntityWrite', DELETE: 'EntityDelete' };
/** As the service names operations on a subscription; those on a rule are named like them. */
const VERBS: Readonly<Record<string, string>> = { PUT: 'CreateOrUpdate', DELETE: 'Delete' };
/** Characters of a URL that a client sent. */
const MAX_ENDPOINT_LENGTH = 500;

/** `meant`: undefined where the request is about an entity. */
export function neededAccess({ request, path }: HttpCall, meant: RuntimeCall | undefined): NeededAccess {
  const { method } = request;
  const joined = path.join('/');
  if (meant === undefined) {
    // The service's list at its root is public.
    if (path.length === 0 && method === 'GET') return { right: undefined, entityPath: '', method };
    // Of what is reserved, such as `$Resources/queues`, no entity has a say.
    return { right: 'Manage', entityPath: joined.startsWith('$') ? '' : joined, method };
  }
  return { right: rightFor(meant), entityPath: 'entityPath' in meant ? meant.entityPath : joined, method };
}

/** The answer to a client that lacks a right, in the service's words. */
export type Lacking = {
  readonly text: string;
  /** The service tells it in the status line. */
  readonly isInStatusLine: boolean;
};

export function lackingAccess(
  { right = 'Manage', entityPath, method }: NeededAccess,
  { url, path }: HttpCall,
): Lacking {
  if (right !== 'Manage') {
    return { text: lackingRights([right], url.hostname, entityPath), isInStatusLine: false };
  }
  const operation = operationInTopic(readResource(path)?.kind, method);
  if (operation !== undefined) {
    const endpoint = `sb://${url.host}${url.pathname}${url.search}`.slice(0, MAX_ENDPOINT_LENGTH);
    const text = `SubCode=40100: Unauthorized : Unauthorized access for '${operation}' operation on endpoint '${endpoint}'.`;
    return { text, isInStatusLine: true };
  }
  const claim = CHANGING[method];
  const text =
    claim === undefined
      ? 'Manage,EntityRead claims required for this operation.'
      : `Authorization failed for specified action: Manage,${claim}.`;
  return { text, isInStatusLine: false };
}

/** Undefined: it is about something else than subscriptions and rules. */
function operationInTopic(kind: AdminResource['kind'] | undefined, method: string): string | undefined {
  switch (kind) {
    case 'subscription':
      return `${VERBS[method] ?? 'Get'}Subscription`;
    case 'rule':
      return `${VERBS[method] ?? 'Get'}Rule`;
    case 'subscriptions':
      return 'EnumerateSubscriptions';
    case 'rules':
      return 'EnumerateRules';
    default:
      return undefined;
  }
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
