// Finds the entity that a misspelt path may have meant, for clients that may see the names of all entities.

import { suggestEntity } from '../../config/entity-names.js';
import type { RoutedCall } from '../http-context.js';
import { managesNamespace } from './control-access.js';

/** A sentence such as `Did you mean 'orders'?`; undefined if nothing is near, or the client may not list the entities. */
export async function similarEntity(path: string, call: RoutedCall): Promise<string | undefined> {
  if (!(await managesNamespace(call))) return undefined;
  const suggested = await suggestEntity(ownerOf(path), (command) => call.context.engine.ask(command));
  return suggested.trim() || undefined;
}

/** The path without its sub-queue. */
function ownerOf(path: string): string {
  return path.split('/$', 1)[0] ?? '';
}
