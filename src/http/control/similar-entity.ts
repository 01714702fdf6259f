// Finds the entity that a misspelt path may have meant, for clients that may see the names of all.

import { suggestEntity } from '../../config/entity-names.js';
import type { RoutedCall } from '../http-context.js';
import { mayListEntities } from './control-access.js';

/** A sentence such as `Did you mean 'orders'?`; undefined if nothing is near, or the client may not list the entities. */
export async function similarEntity(path: string, call: RoutedCall): Promise<string | undefined> {
  if (!(await mayListEntities(call))) return undefined;
  const suggested = await suggestEntity(ownerOf(path), (command) => call.context.engine.ask(command));
  return suggested.trim() || undefined;
}

/** A note on an entity that is only named, and need not be there; undefined if it is. `*` in a path stands for any text. */
export async function noteOnMissing(path: string, call: RoutedCall): Promise<string | undefined> {
  if (path.includes('*')) return undefined;
  const found = await call.context.engine.ask({ kind: 'find-entity', entityPath: ownerOf(path) });
  if (found.kind === 'entity') return undefined;
  const similar = await similarEntity(path, call);
  return [`There is no entity '${path}' yet; the fault waits for it.`, similar].filter(Boolean).join(' ');
}

/** Without a sub-queue. */
function ownerOf(path: string): string {
  return path.split('/$', 1)[0] ?? '';
}
