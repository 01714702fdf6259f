// Who sends to which entity, and who receives from it, as the events say.

import { clientName } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';

/** A client is forgotten this long after its last message. */
const KEPT_MS = 300_000;
const MAX_CLIENTS = 50;

const SENT: ReadonlySet<string> = new Set(['accepted', 'enqueued', 'scheduled', 'duplicate']);
const RECEIVED: ReadonlySet<string> = new Set(['locked', 'consumed', 'completed']);

/** The clients of one entity: a name, its connections, and when each was last seen. */
type Clients = Map<string, Map<number, number>>;
export type ClientGroup = { readonly name: string; readonly connectionCount: number };

export class Traffic {
  readonly #senders = new Map<string, Clients>();
  readonly #receivers = new Map<string, Clients>();

  add({ kind, path, client, time }: PageEvent): void {
    if (path === undefined || client === undefined) return;
    const side = SENT.has(kind) ? this.#senders : RECEIVED.has(kind) ? this.#receivers : undefined;
    if (side === undefined) return;
    const clients: Clients = side.get(path) ?? new Map();
    side.set(path, clients);
    const name = clientName(client);
    const connections = clients.get(name) ?? new Map<number, number>();
    if (clients.size < MAX_CLIENTS || clients.has(name)) clients.set(name, connections);
    const at = Date.parse(time);
    // The newest at the end, so that those long gone can go, however many connections one client makes.
    connections.delete(client.connectionId);
    connections.set(client.connectionId, at);
    for (const [id, seenAt] of connections) {
      if (at - seenAt <= KEPT_MS) break;
      connections.delete(id);
    }
  }

  /** Clients that have sent within the last five minutes. */
  sendersTo(path: string, now: number): readonly ClientGroup[] {
    return groupsOf(this.#senders.get(path), now);
  }

  receiversOf(path: string, now: number): readonly ClientGroup[] {
    return groupsOf(this.#receivers.get(path), now);
  }

  clear(): void {
    this.#senders.clear();
    this.#receivers.clear();
  }
}

function groupsOf(clients: Clients | undefined, now: number): readonly ClientGroup[] {
  if (clients === undefined) return [];
  const groups: ClientGroup[] = [];
  for (const [name, connections] of clients) {
    for (const [id, seenAt] of connections) if (now - seenAt > KEPT_MS) connections.delete(id);
    if (connections.size === 0) clients.delete(name);
    else groups.push({ name, connectionCount: connections.size });
  }
  return groups;
}
