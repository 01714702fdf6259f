// Decides what an attaching link is: a request node, an entity to send to or receive from, or something not offered.

import type { Result } from '../broker/result.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import { DecodeError } from '../codec/decode-error.js';
import { entriesOf } from '../codec/read-value.js';
import { decodeTerminus, type Terminus } from '../codec/terminus.js';
import type { After } from '../engine/after.js';
import type { Engine } from '../engine/engine.js';
import type { Authorizer } from '../security/authorizer.js';
import { type NodeAddress, readAddress } from './address.js';
import { CbsNode } from './cbs-node.js';
import type { ConnectionClaims, Need } from './connection-claims.js';
import { isCopy } from './distribution-mode.js';
import { EntityReceiver } from './entity-receiver.js';
import { EntitySender } from './entity-sender.js';
import { amqpErrorOf, type ErrorContext } from './error-condition.js';
import { type FilterKind, filterKindOf } from './filter-kind.js';
import type { IdleWatch } from './idle-watch.js';
import { ManagementNode, type ManagementNodeOptions } from './management/management-node.js';
import type { Link } from './protocol/session.js';
import { RequestLinks, type RequestNode } from './request-links.js';
import type { Response } from './request-message.js';
import { readSessionFilter } from './session-filter.js';
import { SessionRequest } from './session-request.js';

/** Filters that would change what is received: refused. All others are left out of the answer, as not applied. */
const REFUSED_FILTERS: Readonly<Partial<Record<FilterKind, string>>> = {
  'non-exclusive-session': 'Sessions that are not held exclusively are not offered.',
  selector: 'Message selectors are not offered.',
};

export type LinkRouterOptions = {
  /** Ends the wait for a session. */
  readonly after: After;
  /** When there is one it hears of links and tokens. */
  readonly watch?: IdleWatch | undefined;
  /** Looks at tokens. */
  readonly authorizer?: Authorizer | undefined;
  /** When there are some, a link needs one of them. */
  readonly claims?: ConnectionClaims | undefined;
  readonly now: () => number;
  /** Something of ours broke; the connection is to end. */
  readonly faulted: (cause: unknown) => void;
};

/** One router a connection. */
export class LinkRouter {
  readonly #engine: Engine;
  readonly #context: ErrorContext;
  readonly #requestLinks: RequestLinks;
  readonly #cbs: RequestNode;
  /** The newest of each role. */
  readonly #cbsLinks: { sender?: Link; receiver?: Link } = {};
  readonly #after: After;
  readonly #watch: IdleWatch | undefined;
  readonly #claims: ConnectionClaims | undefined;
  #connectionId: number | undefined;

  constructor(engine: Engine, context: ErrorContext, options: LinkRouterOptions) {
    const { after, watch, authorizer, claims, now, faulted } = options;
    this.#engine = engine;
    this.#context = context;
    this.#requestLinks = new RequestLinks(context);
    const cbs = new CbsNode({ engine, authorizer, claims, context, now, faulted });
    this.#cbs = watch === undefined ? cbs : watched(cbs, watch);
    this.#after = after;
    this.#watch = watch;
    this.#claims = claims;
  }

  /** By which the broker knows who holds a session. */
  get connectionId(): number {
    this.#connectionId ??= this.#engine.openConnection();
    return this.#connectionId;
  }

  route(link: Link): void {
    try {
      this.#route(link, this.#nodeOf(link));
    } catch (error) {
      if (error instanceof DecodeError) {
        link.refuse({ condition: error.condition, description: error.message });
      } else if (error instanceof ServiceBusError) {
        link.refuse(amqpErrorOf(error, this.#context));
      } else {
        throw error;
      }
    }
  }

  #route(link: Link, terminus: Terminus & { address: string }): void {
    const address = readAddress(terminus.address);
    if (address.kind !== 'cbs') {
      // Before it is known whether there is such an entity: who may not ask is not told.
      const unauthorized = this.#claims?.admit(link, needOf(link, address));
      if (unauthorized !== undefined) {
        link.refuse(unauthorized);
        return;
      }
      this.#watch?.attaching(link, address.entityPath);
    }
    switch (address.kind) {
      case 'cbs':
        this.#routeCbs(link);
        return;
      case 'management':
        this.#routeManagement(link, address.entityPath);
        return;
      case 'entity':
        this.#routeEntity(link, terminus, address.entityPath);
    }
  }

  /** The node a link is to: the target of a sender, the source of a receiver. */
  #nodeOf(link: Link): Terminus & { address: string } {
    const isSender = link.role === 'sender';
    const terminus = decodeTerminus(isSender ? link.attach.target : link.attach.source);
    if (terminus?.kind === 'coordinator') {
      throw new ServiceBusError('not-implemented', 'Transactions are not there yet.');
    }
    if (terminus?.dynamic === true) {
      throw new ServiceBusError('not-implemented', 'Dynamic nodes are not offered; create a queue instead.');
    }
    if (terminus?.address === undefined || terminus.address === '') {
      const missing = isSender ? 'target' : 'source';
      throw new ServiceBusError(
        'not-implemented',
        `A link needs the address of an entity as its ${missing}.`,
      );
    }
    return { ...terminus, address: terminus.address };
  }

  /** One link of each role on a connection. A client whose last one is being detached, by either side, may open the next. */
  #routeCbs(link: Link): void {
    if (this.#cbsLinks[link.role]?.attachment.isOpen === true) {
      const text = `A link to connection '${this.connectionId}' $cbs node has already been opened.`;
      link.refuse(amqpErrorOf(new ServiceBusError('not-allowed', text), this.#context));
      return;
    }
    this.#cbsLinks[link.role] = link;
    this.#acceptRequests(link, this.#cbs);
  }

  #routeManagement(link: Link, entityPath: string): void {
    const faulted = (cause: unknown) => link.session.connection.fault(cause);
    const requester = {
      faulted,
      completed: (_tag: number, result: Result) => {
        if (result.kind === 'failed') link.refuse(amqpErrorOf(result.error, this.#context));
        else if (result.kind === 'entity') {
          const { maxMessageSizeBytes } = result;
          const { connectionId } = this;
          const unauthorized = this.#unauthorizedAt(entityPath);
          const options = { entityPath, maxMessageSizeBytes, connectionId, context: this.#context };
          this.#acceptRequests(link, new ManagementNode(this.#engine, { ...options, unauthorized, faulted }));
        }
      },
    };
    this.#engine.submit({ kind: 'find-entity', entityPath }, requester, 0);
  }

  #unauthorizedAt(entityPath: string): ManagementNodeOptions['unauthorized'] {
    const claims = this.#claims;
    const path = managementPathOf(entityPath);
    return claims && ((right) => claims.check({ path, anyOf: [right] }));
  }

  #routeEntity(link: Link, terminus: Terminus, entityPath: string): void {
    const options = { entityPath, context: this.#context };
    if (link.role === 'sender') {
      new EntitySender(this.#engine, link, options);
    } else {
      refuseFilters(terminus, entityPath);
      const session = this.#sessionOf(link, terminus, entityPath);
      if (session !== undefined) this.#watch?.ofSession(link);
      const isBrowsing = isCopy(terminus);
      if (isBrowsing && session !== undefined) throw cannotBrowse(entityPath);
      new EntityReceiver(this.#engine, link, { ...options, session, isBrowsing });
    }
  }

  #sessionOf(link: Link, { filter }: Terminus, entityPath: string): SessionRequest | undefined {
    const asked = readSessionFilter(filter, entityPath);
    if (asked === undefined) return undefined;
    const { connectionId } = this;
    return new SessionRequest(link.attach, asked, { entityPath, connectionId, after: this.#after });
  }

  #acceptRequests(link: Link, node: RequestNode): void {
    if (link.role === 'sender') this.#requestLinks.acceptSender(link, node);
    else this.#requestLinks.acceptReceiver(link, node);
  }
}

/** What an operation needs is asked with each; without any right there is none that could be carried out. */
function needOf(link: Link, address: Exclude<NodeAddress, { kind: 'cbs' }>): Need {
  const { kind, entityPath } = address;
  if (kind === 'management') return { path: managementPathOf(entityPath), anyOf: ['Send', 'Listen'] };
  return { path: entityPath, anyOf: [link.role === 'sender' ? 'Send' : 'Listen'] };
}

function managementPathOf(entityPath: string): string {
  return `${entityPath}/$management`;
}

/** The answer to a token that was taken. */
function isGood({ status }: Response): boolean {
  return status < 300;
}

/** The same node, its good answers told to the watch. */
function watched(cbs: RequestNode, watch: IdleWatch): RequestNode {
  return {
    name: cbs.name,
    answer: (request, respond) =>
      cbs.answer(request, (response) => {
        if (isGood(response)) watch.authorized();
        respond(response);
      }),
  };
}

function cannotBrowse(entityPath: string): ServiceBusError {
  const text =
    "The source asks for a session and says distribution-mode 'copy': a session cannot be browsed by a link. " +
    'Peek at its messages, or leave the mode out to receive them.';
  return new ServiceBusError('not-allowed', text, {
    entityPath,
    property: 'distribution-mode',
    value: 'copy',
  });
}

function refuseFilters({ filter }: Terminus, entityPath: string): void {
  for (const entry of entriesOf(filter) ?? []) {
    const kind = filterKindOf(entry);
    const message = kind && REFUSED_FILTERS[kind];
    if (message !== undefined) throw new ServiceBusError('not-implemented', message, { entityPath });
  }
}
