// Whoever lets the messages of an entity go on to another must be allowed to send there (FWD-02): by a token given for that, or by
// that of the call.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import { lackingRights } from '../security/access-wording.js';
import { readToken } from './authorization-header.js';
import type { HttpCall } from './http-call.js';
import type { HttpContext } from './http-context.js';
import { RequestProblem } from './request-problem.js';

export type Forwarding = Pick<QueueDescription, 'forwardTo' | 'forwardDeadLetteredMessagesTo'>;

/** As every SDK sends them, for the namespace as a whole. */
const HEADERS = {
  forwardTo: 'ServiceBusSupplementaryAuthorization',
  forwardDeadLetteredMessagesTo: 'ServiceBusDlqSupplementaryAuthorization',
} as const satisfies Record<keyof Forwarding, string>;

/** Throws a RequestProblem. What is there already may stay. */
export async function requireForwardingAccess(
  wanted: Partial<Forwarding>,
  before: Partial<Forwarding> | undefined,
  call: HttpCall & { readonly context: HttpContext },
): Promise<void> {
  for (const field of ['forwardTo', 'forwardDeadLetteredMessagesTo'] as const) {
    const destination = wanted[field];
    if (destination === undefined || destination === before?.[field]) continue;
    if (!(await maySend(destination, HEADERS[field], call, call.context))) {
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
    const judged = await authorizer.check({ token, audience, entityPath: destination }, now());
    if (judged.kind === 'claim' && judged.rights.includes('Send')) return true;
  }
  return false;
}
