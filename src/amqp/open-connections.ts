// The open connections and their attached links, so that people can look at them and end them by hand.

import type { ClientTransport, LinkRole } from '../watch/client-activity.js';
import { describe, type ErrorContext } from './error-condition.js';
import type { Identity } from './protocol/handshake.js';
import type { Link } from './protocol/link-table.js';
import type { Transport } from './transport.js';

export type LinkSummary = {
  /** Undefined for links to `$cbs`, `$management` and the transaction coordinator. */
  readonly linkId: number | undefined;
  readonly role: LinkRole;
  readonly path: string;
  readonly name: string;
  /** The identifier of the sender or receiver. The SDK makes one up if the program gives none. */
  readonly identifier: string | undefined;
  /** Milliseconds since 1970, as in a connection. */
  readonly since: number;
  /** Messages that may be sent now. */
  readonly credit: number;
  /** Deliveries that the client has not settled; undefined for a sender. */
  readonly unsettledCount: number | undefined;
  /** The sender's mode: `settled` for receive-and-delete, and for sends without an outcome. */
  readonly settleMode: 'unsettled' | 'settled' | 'mixed';
};

export type ConnectionSummary = {
  readonly connectionId: number;
  readonly containerId: string;
  /** Undefined if the client names none. */
  readonly product: string | undefined;
  readonly transport: ClientTransport;
  /** The client for people (`watch/client-label.ts`). */
  readonly label: string;
  /** Undefined if the byte stream has none. */
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly since: number;
  /** How SASL identified the client; undefined without SASL. */
  readonly mechanism: Identity['mechanism'] | undefined;
  /** The name of the policy that a client with SASL PLAIN gave. */
  readonly policy: string | undefined;
  readonly links: readonly LinkSummary[];
};

const SETTLE_MODES = ['unsettled', 'settled', 'mixed'] as const;
const BY_HAND = 'was ended through the control interface';
const DETACH_FORCED = 'amqp:link:detach-forced';
const CONNECTION_FORCED = 'amqp:connection:forced';

type AttachedLink = Pick<LinkSummary, 'role' | 'path' | 'since'>;

/** The attached links of one connection. */
export class OpenLinks {
  readonly #attached = new Map<Link, AttachedLink>();
  readonly #ids = new WeakMap<Link, number>();
  readonly #identifiers = new WeakMap<Link, string>();

  /** The id under which the engine knows the link. */
  identified(link: Link, linkId: number): void {
    this.#ids.set(link, linkId);
  }

  idOf(link: Link): number | undefined {
    return this.#ids.get(link);
  }

  named(link: Link, identifier: string | undefined): void {
    if (identifier !== undefined) this.#identifiers.set(link, identifier);
  }

  identifierOf(link: Link): string | undefined {
    return this.#identifiers.get(link);
  }

  attached(link: Link, attached: AttachedLink): void {
    this.#attached.set(link, attached);
  }

  ended(link: Link): void {
    this.#attached.delete(link);
  }

  all(): readonly LinkSummary[] {
    return [...this.#attached].map(([link, attached]) => ({
      ...attached,
      linkId: this.#ids.get(link),
      name: link.attach.name,
      identifier: this.#identifiers.get(link),
      credit: Math.max(0, link.credit),
      unsettledCount: link.role === 'receiver' ? link.unsettledCount : undefined,
      settleMode: SETTLE_MODES[link.attach.sndSettleMode] ?? 'mixed',
    }));
  }

  /** Links other than those to `$cbs`, `$management` and the transaction coordinator. */
  ofEntities(): readonly (AttachedLink & { readonly link: Link })[] {
    return [...this.#attached]
      .filter(([link]) => this.#ids.has(link))
      .map(([link, attached]) => ({ link, ...attached }));
  }

  find(linkId: number): (AttachedLink & { readonly link: Link }) | undefined {
    for (const [link, attached] of this.#attached) {
      if (this.#ids.get(link) === linkId) return { link, ...attached };
    }
    return undefined;
  }
}

type OpenConnection = Omit<ConnectionSummary, 'links'> & {
  readonly client: Transport;
  readonly links: OpenLinks;
  readonly context: ErrorContext;
};

export class OpenConnections {
  readonly #byId = new Map<number, OpenConnection>();

  get count(): number {
    return this.#byId.size;
  }

  add(opened: OpenConnection): void {
    this.#byId.set(opened.connectionId, opened);
  }

  delete(connectionId: number): void {
    this.#byId.delete(connectionId);
  }

  list(): readonly ConnectionSummary[] {
    return [...this.#byId.values()].map(({ client: _, context: __, links, ...summary }) => ({
      ...summary,
      links: links.all(),
    }));
  }

  /** False: there is no such connection. */
  endConnection(connectionId: number): boolean {
    const found = this.#byId.get(connectionId);
    if (found === undefined) return false;
    const text = `The connection ${BY_HAND}.`;
    found.client.connection.close({
      condition: CONNECTION_FORCED,
      description: describe(text, found.context),
    });
    return true;
  }

  /** False: there is no such link. */
  endLink(linkId: number): boolean {
    for (const { links, context } of this.#byId.values()) {
      const found = links.find(linkId);
      if (found === undefined) continue;
      forceDetach(found, context, BY_HAND);
      return true;
    }
    return false;
  }

  /** Cuts all connections, as a broken network does. */
  resetAll(): void {
    for (const { client } of [...this.#byId.values()]) client.reset();
  }

  /** Detaches all links of entities, as the service does when it moves entities to another machine. */
  detachAll(): void {
    for (const { links, context } of this.#byId.values()) {
      for (const found of links.ofEntities()) forceDetach(found, context, 'is moved to another node');
    }
  }
}

/** Does not wait for the client's detach, because messages must go to other links from now on. */
function forceDetach(
  { link, path }: AttachedLink & { readonly link: Link },
  context: ErrorContext,
  why: string,
): void {
  const text = `The link '${link.attach.name}' is force detached: it ${why}.`;
  link.detach({ condition: DETACH_FORCED, description: describe(text, context, path) });
  link.onGone();
}
