// The PUT of a queue, topic or subscription: finds the existing one, reads the new description, checks forwarding, stores and answers.

import type { Command, Expected } from '../../broker/command.js';
import type { QueueDescription } from '../../broker/entities/queue-description.js';
import type { Result } from '../../broker/result.js';
import { lackingRights } from '../../security/access.js';
import { readToken } from '../authorization-header.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall, HttpContext, RoutedCall } from '../http-context.js';
import { atomContextOf, isUpdate } from './admin-call.js';
import { type AtomContext, type AtomEntry, entryResponse } from './atom.js';

type Forwarding = Pick<QueueDescription, 'forwardTo' | 'forwardDeadLetteredMessagesTo'>;

/** The headers in which every SDK sends a token for a forwarding target. The token is for the whole namespace. */
const FORWARDING_TOKEN_HEADERS = {
  forwardTo: 'ServiceBusSupplementaryAuthorization',
  forwardDeadLetteredMessagesTo: 'ServiceBusDlqSupplementaryAuthorization',
} as const satisfies Record<keyof Forwarding, string>;

type EntityInfo = { readonly description: { readonly name: string } & Partial<Forwarding> };

/** The steps of a PUT that differ between kinds of entities. */
export type PutSteps<Info extends EntityInfo> = {
  readonly find: Command;
  /** The new description; `before` is the description of an existing entity. Throws when it cannot be read. */
  readonly describe: (before: Info['description'] | undefined) => Info['description'];
  readonly put: (description: Info['description'], expected: Expected) => Command;
  /** The info in the result of the get or put command. Throws the error of a failed result. */
  readonly infoOf: (answer: Result) => Info;
  readonly toEntry: (info: Info, context: AtomContext) => AtomEntry;
};

export async function putEntity<Info extends EntityInfo>(
  { find, describe, put, infoOf, toEntry }: PutSteps<Info>,
  call: RoutedCall,
): Promise<Response> {
  const { engine } = call.context;
  const before = isUpdate(call) ? infoOf(await engine.ask(find)).description : undefined;
  const description = describe(before);
  await requireForwardingAccess(description, before, call);
  const [expected, status] = before === undefined ? (['absent', 201] as const) : (['present', 200] as const);
  const info = infoOf(await engine.ask(put(description, expected)));
  return entryResponse(toEntry(info, atomContextOf(call)), call, status);
}

/** The properties that an update keeps when it leaves them out. */
export function unchangedProperties<Description extends object, Field extends keyof Description>(
  before: Description | undefined,
  fixed: readonly Field[],
): Partial<Description> {
  const unchanged: Partial<Description> = {};
  if (before !== undefined) for (const field of fixed) unchanged[field] = before[field];
  return unchanged;
}

/**
 * Checks the right to send to a forwarding target (FWD-02), by a token for the target or by the token of the request. An
 * unchanged target needs no right. Throws a RequestProblem.
 */
async function requireForwardingAccess(
  wanted: Partial<Forwarding>,
  before: Partial<Forwarding> | undefined,
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
