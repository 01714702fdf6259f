// Checks that the client that creates or changes an entity may send to its forwarding targets (FWD-02).

import type { QueueDescription } from '../../broker/contract/entities/queue-description.js';
import { lackingRights } from '../../security/access.js';
import { readToken } from '../authorization-header.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall, HttpContext, RoutedCall } from '../http-context.js';

type Forwarding = Pick<QueueDescription, 'forwardTo' | 'forwardDeadLetteredMessagesTo'>;
type Description = Pick<QueueDescription, 'name'> & Partial<Forwarding>;

/** The headers in which every SDK sends a token for a forwarding target. The token is for the whole namespace. */
const FORWARDING_TOKEN_HEADERS = {
  forwardTo: 'ServiceBusSupplementaryAuthorization',
  forwardDeadLetteredMessagesTo: 'ServiceBusDlqSupplementaryAuthorization',
} as const satisfies Record<keyof Forwarding, string>;

/**
 * Checks the right to send to a forwarding target (FWD-02), by a token for the target or by the token of the request. An
 * unchanged target needs no right. Throws a RequestProblem.
 */
export async function requireForwardingAccess(
  wanted: Description,
  before: Description | undefined,
  call: RoutedCall,
): Promise<void> {
  for (const field of ['forwardTo', 'forwardDeadLetteredMessagesTo'] as const) {
    const destination = wanted[field];
    if (destination === undefined || destination === before?.[field]) continue;
    if (!(await maySend(destination, FORWARDING_TOKEN_HEADERS[field], call, call.context))) {
      throw new RequestProblem(401, lackingRights(['Send'], call.url.hostname, destination));
    }
  }
}

async function maySend(
  destination: string,
  header: string,
  { request, url }: HttpCall,
  { authorizer, now = Date.now }: HttpContext,
): Promise<boolean> {
  if (authorizer?.mode !== 'strict') return true;
  const audience = `${url.origin}/${destination}`;
  for (const name of [header, 'authorization']) {
    const token = readToken(request.headers.get(name));
    if (token === undefined) continue;
    const outcome = await authorizer.check({ token, audience, entityPath: destination }, now());
    if (outcome.kind === 'claim' && outcome.rights.includes('Send')) return true;
  }
  return false;
}
