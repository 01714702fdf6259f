// The PUT of a queue, topic or subscription: what is there is looked up, and what is to be is described, put and told.

import type { Command, Expected } from '../../broker/command.js';
import type { Result } from '../../broker/result.js';
import { type Forwarding, requireForwardingAccess } from '../forwarding-access.js';
import { type AdminCall, isUpdate, placeOf } from './admin-call.js';
import { entryResponse, type Told } from './atom.js';
import type { Place } from './entity-kind.js';

type EntityInfo = { readonly description: { readonly name: string } & Partial<Forwarding> };

/** In what the kinds of entities differ. */
export type Putting<Info extends EntityInfo> = {
  readonly find: Command;
  /** `before`: of the entity that is to be changed. Throws for a description that cannot be read. */
  readonly describe: (before: Info['description'] | undefined) => Info['description'];
  readonly put: (description: Info['description'], expected: Expected) => Command;
  /** The answer to either command; throws a refusal. */
  readonly infoOf: (answer: Result) => Info;
  readonly tell: (info: Info, place: Place) => Told;
};

export async function putEntity<Info extends EntityInfo>(
  { find, describe, put, infoOf, tell }: Putting<Info>,
  call: AdminCall,
): Promise<Response> {
  const { engine } = call.context;
  const before = isUpdate(call) ? infoOf(await engine.ask(find)).description : undefined;
  const description = describe(before);
  await requireForwardingAccess(description, before, call);
  const [expected, status] = before === undefined ? (['absent', 201] as const) : (['present', 200] as const);
  const info = infoOf(await engine.ask(put(description, expected)));
  return entryResponse(tell(info, placeOf(call)), call.url, status);
}

/** What an update that does not mention it leaves as it is. */
export function keptOf<Description extends object, Field extends keyof Description>(
  before: Description | undefined,
  fixed: readonly Field[],
): Partial<Description> {
  const kept: Partial<Description> = {};
  if (before !== undefined) for (const field of fixed) kept[field] = before[field];
  return kept;
}
