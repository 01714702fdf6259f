// Decides what an attaching link is: a request node, an entity to send to or receive from, or something not offered.

import type { Result } from '../broker/result.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import { DecodeError } from '../codec/decode-error.js';
import { entriesOf, entryOf, textOf } from '../codec/read-value.js';
import { decodeTerminus, type Terminus } from '../codec/terminus.js';
import type { After } from '../engine/after.js';
import type { Engine } from '../engine/engine.js';
import type { Authorizer } from '../security/authorizer.js';
import { type NodeAddress, readAddress } from './address.js';
import { CbsNode } from './cbs-node.js';
import type { ConnectionClaims, Need } from './connection-claims.js';
import { ControlLink } from './control-link.js';
import { CrossEntitySessions } from './cross-entity.js';
import { describeValue } from './describe-value.js';
import { isCopy } from './distribution-mode.js';
import { EntityReceiver } from './entity-receiver.js';
import { type Destination, EntitySender, TRANSFER_DESTINATION } from './entity-sender.js';
import { amqpErrorOf, type ErrorContext } from './error-condition.js';
import { type FilterKind, filterKindOf } from './filter-kind.js';
import type { IdleWatch } from './idle-watch.js';
import { ManagementNode, type ManagementNodeOptions } from './management/management-node.js';
import type { ReceiverLink } from './protocol/receiver-link.js';
import type { SenderLink } from './protocol/sender-link.js';
import type { Link } from './protocol/session.js';
import { RequestLinks, type RequestNode } from './request-links.js';
import type { Response } from './request-message.js';
import { readSessionFilter } from './session-filter.js';
import { SessionRequest } from './session-request.js';
import type { TransactionIds } from './transaction-id.js';
import { Transactions } from './transactions.js';

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
  readonly transactionIds: TransactionIds;
  /** Whether a transaction may receive from several entities. */
  readonly spansEntities: boolean;
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
  readonly #transactions: Transactions;
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
    this.#transactions = new Transactions({
      ids: options.transactionIds,
      sessions: new CrossEntitySessions({ isLifted: options.spansEntities }),
      connectionId: () => this.connectionId,
    });
  }

  /** By which the broker knows who holds a session. */
  get connectionId(): number {
    this.#connectionId ??= this.#engine.openConnection();
    return this.#connectionId;
  }

  route(link: Link): void {
    try {
      if (link.role === 'sender' && isCoordinator(link)) this.#routeCoordinator(link);
      else this.#route(link, this.#nodeOf(link));
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
    const destination = destinationOf(link);
    if (address.kind !== 'cbs') {
      // Before it is known whether there is such an entity: who may not ask is not told.
      const unauthorized = this.#claims?.admit(link, this.#needsOf(link, address, destination));
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
        this.#transactions.sessions.entityLink(link.session);
        if (link.role === 'sender') this.#routeSender(link, address.entityPath, destination);
        else this.#routeReceiver(link, terminus, address.entityPath);
    }
  }

  /** Without a token: .NET opens it before it puts one, and what is done in a transaction needs links that have theirs. */
  #routeCoordinator(link: SenderLink): void {
    new ControlLink(this.#engine, link, { transactions: this.#transactions, context: this.#context });
  }

  /** The rights without which no operation of the link could be carried out; each operation asks for its own again. */
  #needsOf(
    link: Link,
    { kind, entityPath }: Exclude<NodeAddress, { kind: 'cbs' }>,
    destination: Destination | undefined,
  ): readonly Need[] {
    if (kind === 'management') return [{ path: managementPathOf(entityPath), anyOf: ['Send', 'Listen'] }];
    if (link.role === 'receiver') return [{ path: entityPath, anyOf: ['Listen'] }];
    const detour = this.#transactions.sessions.detourOf(link.session, entityPath);
    const paths = [entityPath, destination?.entityPath, detour].filter((path) => path !== undefined); // TXN-10
    return paths.map((path) => ({ path, anyOf: ['Send'] }));
  }

  /** The node a link is to: the target of a sender, the source of a receiver. */
  #nodeOf(link: Link): Terminus & { address: string } {
    const isSender = link.role === 'sender';
    const terminus = decodeTerminus(isSender ? link.attach.target : link.attach.source);
    if (terminus?.kind === 'coordinator') {
      throw new ServiceBusError(
        'not-allowed',
        'A coordinator sends nothing; it is the target of a link on which transactions are declared.',
      );
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
          const node = new ManagementNode(this.#engine, {
            entityPath,
            connectionId: this.connectionId,
            maxMessageSizeBytes,
            context: this.#context,
            transactions: this.#transactions,
            unauthorized: this.#unauthorizedAt(entityPath),
            faulted,
          });
          this.#acceptRequests(link, node);
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

  #routeSender(link: SenderLink, entityPath: string, destination: Destination | undefined): void {
    const options = { entityPath, destination, context: this.#context, transactions: this.#transactions };
    new EntitySender(this.#engine, link, options);
  }

  #routeReceiver(link: ReceiverLink, terminus: Terminus, entityPath: string): void {
    refuseFilters(terminus, entityPath);
    const session = this.#sessionOf(link, terminus, entityPath);
    if (session !== undefined) this.#watch?.ofSession(link);
    const isBrowsing = isCopy(terminus);
    if (isBrowsing && session !== undefined) throw cannotBrowse(entityPath);
    const options = { entityPath, context: this.#context, transactions: this.#transactions };
    new EntityReceiver(this.#engine, link, { ...options, session, isBrowsing });
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

function isCoordinator(link: SenderLink): boolean {
  return decodeTerminus(link.attach.target)?.kind === 'coordinator';
}

/** The entity that a sender's messages go to through that of its link; throws ServiceBusError when it cannot be read. */
function destinationOf(link: Link): Destination | undefined {
  const given = link.role === 'sender' ? entryOf(link.attach.properties, TRANSFER_DESTINATION) : undefined;
  if (given === undefined || given.value === null) return undefined;
  const address = textOf(given);
  const node = address === undefined ? undefined : readAddress(address);
  if (address !== undefined && node?.kind === 'entity') return { address, entityPath: node.entityPath };
  throw new ServiceBusError(
    'argument',
    `The link property '${TRANSFER_DESTINATION}' is ${describeValue(given)}; it must be the name of a queue or topic, as a string.`,
  );
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
