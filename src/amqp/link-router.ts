// Routes each new link by its address: to `$cbs`, `$management`, the transaction coordinator, or an entity. Refuses all others.

import type { AutoCreate } from '../auto-create.js';
import type { Result } from '../broker/contract/result.js';
import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { DecodeError } from '../codec/decode-error.js';
import type { AmqpError } from '../codec/performatives.js';
import { entriesOf } from '../codec/read-value.js';
import { decodeTerminus, type Terminus } from '../codec/terminus.js';
import type { Engine } from '../engine/engine.js';
import type { StartTimer } from '../engine/timer.js';
import { type NodeAddress, readAddress } from './address.js';
import type { ConnectionActivity } from './connection-activity.js';
import type { ConnectionBinding } from './connection-binding.js';
import type { ConnectionClaims, Need } from './connection-claims.js';
import { amqpErrorOf, type ErrorContext } from './error-condition.js';
import type { ConnectionFaults } from './faults/connection-faults.js';
import type { IdleWatch } from './idle-watch.js';
import type { JmsLinks, MadeNode } from './jms/jms-links.js';
import { nodeKindOf, unnamedNodeOf } from './jms/node-kind.js';
import { Unsubscriber } from './jms/unsubscriber.js';
import {
  cannotBrowse,
  destinationOf,
  isCoordinator,
  managementPathOf,
  nodeOf,
  refuseFilters,
  refuseTopicConsumers,
  roleOf,
} from './links/attach-request.js';
import { ControlLink } from './links/control-link.js';
import { CrossEntitySessions } from './links/cross-entity.js';
import { EntityReceiver } from './links/entity-receiver.js';
import { type Destination, EntitySender } from './links/entity-sender.js';
import { filterKindOf, isCopy, readSelector, readSessionFilter } from './links/receiver-source.js';
import { SessionRequest } from './links/session-request.js';
import { ConnectionTransactions, type TransactionIds } from './links/transactions.js';
import { CbsNode } from './management/cbs-node.js';
import { ManagementNode, type ManagementNodeOptions } from './management/management-node.js';
import { RequestLinks, type RequestNode } from './management/request-links.js';
import type { Response } from './management/request-message.js';
import type { Link } from './protocol/link-table.js';
import type { ReceiverLink } from './protocol/receiver-link.js';
import type { SenderLink } from './protocol/sender-link.js';

type LinkRouterOptions = {
  /** Timer for the wait for a session. */
  readonly startTimer: StartTimer;
  /** The number under which the engine knows the connection. */
  readonly connectionId: () => number;
  /** Records what the connection and its links do. */
  readonly activity: ConnectionActivity;
  readonly faults: ConnectionFaults;
  /** Observes links and tokens; undefined where nothing times out. */
  readonly watch?: IdleWatch | undefined;
  /** The claims that links need, in strict mode. */
  readonly claims?: ConnectionClaims | undefined;
  readonly now: () => number;
  /** Ends the connection because of an internal fault. */
  readonly faulted: (cause: unknown) => void;
  readonly transactionIds: TransactionIds;
  /** Whether a token for a missing entity is accepted, because a link will create it. */
  readonly createsMissing: boolean;
  /** Whether a transaction may receive from several entities. */
  readonly spansEntities: boolean;
};

/** The path of a sender that takes each message to another entity, for people. */
const ANONYMOUS = '$anonymous';
/** The same of a link that deletes a subscription. */
const UNSUBSCRIBE = '$unsubscribe';

type FoundEntity = Extract<Result, { readonly kind: 'entity' }>;

/** Each connection has its own router. */
export class LinkRouter {
  readonly #binding: ConnectionBinding;
  readonly #context: ErrorContext;
  readonly #requestLinks: RequestLinks;
  readonly #cbs: RequestNode;
  /** The newest link of each role. */
  readonly #cbsLinks: { sender?: Link; receiver?: Link } = {};
  readonly #startTimer: StartTimer;
  readonly #watch: IdleWatch | undefined;
  readonly #claims: ConnectionClaims | undefined;
  readonly #transactions: ConnectionTransactions;
  readonly #activity: ConnectionActivity;
  readonly #faults: ConnectionFaults;
  readonly #connectionId: () => number;
  /** Undefined unless the connection is one of JMS 2.0. */
  #jms: JmsLinks | undefined;

  constructor(binding: ConnectionBinding, context: ErrorContext, options: LinkRouterOptions) {
    const { startTimer, watch, claims, now, faulted, activity } = options;
    this.#activity = activity;
    this.#connectionId = options.connectionId;
    this.#binding = binding;
    this.#context = context;
    this.#faults = options.faults;
    this.#requestLinks = new RequestLinks(context, options.faults);
    const cbs = new CbsNode({
      ...{ claims, context, now, faulted, activity },
      namespaceOf: (token) => binding.ofToken(token),
      takesMissing: options.createsMissing,
    });
    this.#cbs = watch === undefined ? cbs : watched(cbs, watch);
    this.#startTimer = startTimer;
    this.#watch = watch;
    this.#claims = claims;
    this.#transactions = new ConnectionTransactions({
      ids: options.transactionIds,
      sessions: new CrossEntitySessions({ isLifted: () => options.spansEntities || this.#jms !== undefined }),
      connectionId: () => this.connectionId,
    });
  }

  /** Identifies the holder of message sessions to the broker. */
  get connectionId(): number {
    return this.#connectionId();
  }

  get #engine(): Engine {
    return this.#binding.take().engine;
  }

  get #autoCreate(): AutoCreate | undefined {
    return this.#binding.take().autoCreate;
  }

  /** The connection is open, and it is one of JMS 2.0. Call it before the first link. */
  offersJms(jms: JmsLinks): void {
    this.#jms = jms;
  }

  route(link: Link): void {
    this.#guarded(link, () => {
      const jms = this.#jms;
      if (link.role === 'sender' && isCoordinator(link)) this.#routeCoordinator(link);
      else if (jms === undefined || !this.#routeUnnamed(link, jms)) this.#route(link, nodeOf(link));
    });
  }

  /** Routes a link of JMS 2.0 that names no node; false for all others. */
  #routeUnnamed(link: Link, jms: JmsLinks): boolean {
    const node = unnamedNodeOf(link);
    if (node === undefined) return false;
    if (node.kind === 'unsubscribe' && link.role === 'receiver') {
      this.#activity.watch(link, 'management', UNSUBSCRIBE);
      const attach = () =>
        new Unsubscriber(this.#engine, link, { ...jms.unsubscribed(link), context: this.#context });
      this.#onceBound(link, () => this.#attach(link, UNSUBSCRIBE, attach));
    } else if (node.kind === 'anonymous' && link.role === 'sender') {
      this.#activity.watch(link, 'sender', ANONYMOUS);
      const attach = () =>
        new EntitySender(this.#engine, link, {
          entityPath: ANONYMOUS,
          relay: jms.relay(),
          ...this.#linkParts,
        });
      this.#onceBound(link, () => this.#attach(link, ANONYMOUS, attach));
    } else if (node.kind === 'temporary') {
      this.#routeTemporary(link, jms.temporaryNode(link.role, node));
    }
    return true;
  }

  #routeTemporary(link: Link, { name, attachAs, answered }: MadeNode): void {
    this.#activity.watch(link, link.role, name);
    const made = { entityPath: name, attachAs, ...this.#linkParts };
    const attach = () => {
      this.#watch?.attaching(link, name);
      this.#watch?.ofSession(link); // JMS-42: it is there for as long as its node, and not for messages
      if (link.role === 'sender') {
        new EntitySender(this.#engine, link, { ...made, madeTarget: answered });
        return;
      }
      const filters = decodeTerminus(link.attach.source)?.filter;
      const selector = readSelector(filters, name);
      new EntityReceiver(this.#engine, link, { ...made, madeSource: answered, isBrowsing: false, selector }); // JMS-41
    };
    this.#onceBound(link, () => this.#attach(link, name, attach));
  }

  /** Refuses the link if something is wrong with its attach. */
  #guarded(link: Link, route: () => void): void {
    try {
      route();
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
    const path = address.kind === 'cbs' ? '$cbs' : address.entityPath;
    this.#activity.watch(link, roleOf(link, terminus, address), path);
    // For faults, the operation is the token that is put on the link, not the attach.
    if (address.kind === 'cbs') {
      this.#routeTo(link, terminus, address);
      return;
    }
    this.#onceBound(link, () => this.#attach(link, path, () => this.#routeTo(link, terminus, address)));
  }

  /** Goes on in the namespace of the connection, once that is made if a token is having it made. */
  #onceBound(link: Link, goOn: () => void): void {
    const { choosing } = this.#binding;
    const bind = () => {
      this.#binding.take();
      goOn();
    };
    this.#once(link, choosing, choosing === undefined ? bind : () => this.#onceBound(link, goOn));
  }

  /** Attaches, unless a fault hits the attach. */
  #attach(link: Link, path: string, carryOut: () => void): void {
    if (!this.#faults.isArmed) {
      carryOut();
      return;
    }
    const refuse = (error: AmqpError) => link.refuse(error);
    const attach = () => this.#guarded(link, () => link.attachment.isOpen && carryOut());
    const faultable = { operation: 'attach', path, carryOut: attach, fail: refuse, detach: refuse } as const;
    this.#faults.run({ ...faultable, carryOutUnanswered: () => {} });
  }

  #routeTo(link: Link, terminus: Terminus & { address: string }, address: NodeAddress): void {
    const destination = destinationOf(link);
    if (address.kind !== 'cbs') {
      // Checked before the entity is looked up: a client without a right must not learn whether it exists.
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
        this.#transactions.sessions.entityLink(link.amqpSession);
        if (link.role === 'sender') this.#routeSender(link, terminus, address.entityPath, destination);
        else this.#routeReceiver(link, terminus, address.entityPath);
    }
  }

  /** Attaches a control link without a token: .NET opens the link before it puts one, and all other links of the transaction need one. */
  #routeCoordinator(link: SenderLink): void {
    this.#activity.watch(link, 'control', '$coordinator');
    const attach = () => new ControlLink(this.#engine, link, this.#linkParts);
    this.#onceBound(link, () => this.#attach(link, '$coordinator', attach));
  }

  /** The rights that every operation on the link needs. A `$management` operation checks its own right again. */
  #needsOf(
    link: Link,
    { kind, entityPath }: Exclude<NodeAddress, { kind: 'cbs' }>,
    destination: Destination | undefined,
  ): readonly Need[] {
    if (kind === 'management') return [{ path: managementPathOf(entityPath), anyOf: ['Send', 'Listen'] }];
    if (link.role === 'receiver') return [{ path: entityPath, anyOf: ['Listen'] }];
    const detour = this.#transactions.sessions.detourOf(link.amqpSession, entityPath);
    const paths = [entityPath, destination?.entityPath, detour].filter((path) => path !== undefined); // TXN-10
    return paths.map((path) => ({ path, anyOf: ['Send'] }));
  }

  /** Allows one link of each role on a connection. The next may be attached while either side is still detaching the last. */
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
    const faulted = (cause: unknown) => link.fault(cause);
    const requester = {
      faulted,
      completed: (_tag: number, result: Result) => {
        const found = result.kind === 'failed' ? (this.#toBeCreated(entityPath) ?? result) : result;
        if (found.kind === 'failed') link.refuse(amqpErrorOf(found.error, this.#context));
        else if (found.kind === 'entity') {
          const { maxMessageSizeBytes } = found;
          const node = new ManagementNode(this.#engine, {
            entityPath,
            connectionId: this.connectionId,
            maxMessageSizeBytes,
            ...this.#linkParts,
            unauthorized: this.#unauthorizedAt(entityPath),
            autoCreate: this.#autoCreate,
            faulted,
          });
          this.#acceptRequests(link, node);
        }
      },
    };
    this.#engine.submit({ kind: 'find-entity', entityPath }, requester, 0);
  }

  /** A missing entity that a scheduled message would create. Every other operation finds that it is missing. */
  #toBeCreated(entityPath: string): Pick<FoundEntity, 'kind' | 'maxMessageSizeBytes'> | undefined {
    const autoCreate = this.#autoCreate;
    if (autoCreate?.isForSenders(entityPath) !== true) return undefined;
    return { kind: 'entity', maxMessageSizeBytes: autoCreate.maxMessageSizeBytes };
  }

  #unauthorizedAt(entityPath: string): ManagementNodeOptions['unauthorized'] {
    const claims = this.#claims;
    const path = managementPathOf(entityPath);
    return claims && ((right) => claims.check({ path, anyOf: [right] }));
  }

  #routeSender(
    link: SenderLink,
    terminus: Terminus,
    entityPath: string,
    destination: Destination | undefined,
  ): void {
    const attachAs = this.#jms?.attachAs(terminus, entityPath);
    const mayCreate = attachAs === undefined && nodeKindOf(terminus)?.isTemporary !== true;
    const created = mayCreate ? this.#autoCreate?.forSender(entityPath) : undefined;
    this.#once(link, created, () => {
      new EntitySender(this.#engine, link, { entityPath, destination, attachAs, ...this.#linkParts });
    });
  }

  #routeReceiver(link: ReceiverLink, terminus: Terminus, entityPath: string): void {
    const isJms = this.#jms !== undefined;
    if (!isJms) refuseTopicConsumers(terminus, entityPath);
    const isSession = entriesOf(terminus.filter)?.some((entry) => filterKindOf(entry) === 'session') === true;
    refuseFilters(terminus, entityPath, isJms && !isSession);
    const selector = readSelector(terminus.filter, entityPath);
    const session = this.#sessionOf(link, terminus, entityPath);
    if (session !== undefined) this.#watch?.ofSession(link);
    const isBrowsing = isCopy(terminus);
    if (isBrowsing && session !== undefined) throw cannotBrowse(entityPath);
    const requiresSession = session !== undefined;
    const jms = this.#jms?.receiver(link, terminus, entityPath);
    const mayCreate =
      !isBrowsing && jms?.attachAs === undefined && nodeKindOf(terminus)?.isTemporary !== true;
    const created = mayCreate ? this.#autoCreate?.forReceiver(entityPath, { requiresSession }) : undefined;
    this.#once(link, created, () => {
      new EntityReceiver(this.#engine, link, {
        entityPath,
        ...this.#linkParts,
        session,
        isBrowsing,
        selector,
        ...jms,
      });
    });
  }

  /** Goes on at once, or when what the link needs has been made. */
  #once(link: Link, made: Promise<unknown> | undefined, goOn: () => void): void {
    if (made === undefined) {
      goOn();
      return;
    }
    const isGone = () => !link.attachment.isOpen;
    made
      .then(() => this.#guarded(link, () => isGone() || goOn()))
      .catch((error: unknown) => {
        if (!(error instanceof ServiceBusError)) link.fault(error);
        else if (!isGone()) link.refuse(amqpErrorOf(error, this.#context));
      });
  }

  /** The parts that all links of the connection share. */
  get #linkParts() {
    return {
      context: this.#context,
      transactions: this.#transactions,
      activity: this.#activity,
      faults: this.#faults,
    };
  }

  #sessionOf(link: Link, { filter }: Terminus, entityPath: string): SessionRequest | undefined {
    const sessionFilter = readSessionFilter(filter, entityPath);
    if (sessionFilter === undefined) return undefined;
    const { connectionId } = this;
    return new SessionRequest(link.attach, sessionFilter, {
      entityPath,
      connectionId,
      startTimer: this.#startTimer,
    });
  }

  #acceptRequests(link: Link, node: RequestNode): void {
    if (link.role === 'sender') this.#requestLinks.acceptSender(link, node);
    else this.#requestLinks.acceptReceiver(link, node);
  }
}

/** Whether a token was accepted. */
function isGood({ status }: Response): boolean {
  return status < 300;
}

/** The same node, which also reports each accepted token to the watch. */
function watched(cbs: RequestNode, watch: IdleWatch): RequestNode {
  return {
    name: cbs.name,
    prepare: (request) => cbs.prepare?.(request),
    faultable: (request) => cbs.faultable?.(request),
    refusal: (failure, request) => cbs.refusal?.(failure, request) ?? failure,
    answer: (request, respond, room) => {
      const watchedRespond = (response: Response) => {
        if (isGood(response)) watch.authorized();
        respond(response);
      };
      cbs.answer(request, watchedRespond, room);
    },
  };
}
