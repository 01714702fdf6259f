// The attached links of a session: by the handle of the peer, by name and role, and which handles of ours are free (AMQP 2.6.2).

import type { Attach } from '../../codec/performatives.js';
import type { Link } from './session.js';

type Naming = Pick<Attach, 'name' | 'role'>;

export class LinkTable {
  readonly #byRemoteHandle = new Map<number, Link>();
  readonly #names = new Set<string>();
  #freed: number[] = [];

  get(remoteHandle: number): Link | undefined {
    return this.#byRemoteHandle.get(remoteHandle);
  }

  /** A name may stand for two links, one in each direction (AMQP 2.6.1). */
  hasName(naming: Naming): boolean {
    return this.#names.has(keyOf(naming));
  }

  /** As many as the peer has links: never above a handle-max that suffices for its own. */
  takeHandle(): number {
    return this.#freed.pop() ?? this.#byRemoteHandle.size;
  }

  add(link: Link): void {
    this.#byRemoteHandle.set(link.attach.handle, link);
    this.#names.add(keyOf(link.attach));
  }

  remove(link: Link): void {
    this.#byRemoteHandle.delete(link.attach.handle);
    this.#names.delete(keyOf(link.attach));
    this.#freed.push(link.attachment.localHandle);
  }

  all(): Iterable<Link> {
    return this.#byRemoteHandle.values();
  }

  /** Empties the table. */
  takeAll(): Link[] {
    const links = [...this.#byRemoteHandle.values()];
    this.#byRemoteHandle.clear();
    this.#names.clear();
    this.#freed = [];
    return links;
  }
}

function keyOf({ name, role }: Naming): string {
  return `${role ? 'receiver' : 'sender'} ${name}`;
}
