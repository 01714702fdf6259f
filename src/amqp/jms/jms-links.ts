// The links of a JMS 2.0 connection. Unlike the links of other clients, they make entities by using them.

import type { Command, UnsettledEnd, UsedEntity, WantedSubscriber } from '../../broker/contract/command.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { decodeState } from '../../codec/delivery-state.js';
import { type Terminus, withAddress } from '../../codec/terminus.js';
import { lackingRights } from '../../security/access.js';
import type { ConnectionClaims } from '../connection-claims.js';
import type { ErrorContext } from '../error-condition.js';
import type { Relay } from '../links/entity-sender.js';
import { isCopy } from '../links/receiver-source.js';
import type { ReceiverLink } from '../protocol/receiver-link.js';
import { anonymousRelay, isTopLevel } from './anonymous-relay.js';
import type { JmsConnection } from './jms-connection.js';
import { nodeKindOf, type UnnamedNode } from './node-kind.js';

type JmsLinksOptions = {
  readonly connection: JmsConnection;
  readonly context: ErrorContext;
  /** Undefined where keys are not checked. */
  readonly claims: ConnectionClaims | undefined;
  /** The largest message of the tier. */
  readonly maxMessageSizeBytes: number;
};

/** The durable subscription that a program wants to be rid of. */
export type UnsubscribedNode = {
  readonly identity: { readonly name: string; readonly clientId: string };
  readonly unauthorized: ServiceBusError | undefined;
};

const SHARED = 'shared';
const GLOBAL = 'global';

type AttachSubscriber = Extract<Command, { kind: 'attach-subscriber' }>;
type Attach = Extract<Command, { kind: 'attach-sender' | 'attach-receiver' | 'attach-browser' }>;
type Wrap = (attach: Attach) => Command;

/** A node that is made for its link. */
export type MadeNode = {
  readonly name: string;
  readonly attachAs: Wrap;
  /** The client's source or target, with the name as its address. */
  readonly answered: Buffer;
};

type ReceiverParts = {
  readonly attachAs: Wrap | undefined;
  readonly attachToTopicAs: Wrap | undefined;
  readonly unsettledWhenLost: UnsettledEnd;
};

export class JmsLinks {
  readonly #options: JmsLinksOptions;

  constructor(options: JmsLinksOptions) {
    this.#options = options;
  }

  /** JMS-10: the command that attaches a link to the entity that its terminus names; undefined if that is not to be made. */
  attachAs(terminus: Terminus, entityPath: string): Wrap | undefined {
    const kind = nodeKindOf(terminus);
    if (kind === undefined || kind.isTemporary) return undefined;
    const entity = this.#used(kind.type, entityPath);
    return entity && ((command) => ({ kind: 'use-entity', entity, command }));
  }

  /** The parts that a receiver has in addition: its messages come back when it goes (JMS-32), and a consumer of a topic has a subscription. */
  receiver(link: ReceiverLink, terminus: Terminus, entityPath: string): ReceiverParts {
    const kind = nodeKindOf(terminus);
    const unsettledWhenLost = this.#unsettledWhenLost(terminus);
    const using = this.attachAs(terminus, entityPath);
    if (isCopy(terminus)) {
      if (kind?.type === 'topic') throw cannotBrowseTopic(entityPath);
      return { attachAs: using, attachToTopicAs: undefined, unsettledWhenLost };
    }
    const subscribing = this.#subscribing(link, terminus, entityPath);
    if (kind?.type !== 'topic') {
      const attachToTopicAs = kind === undefined ? subscribing : undefined;
      return { attachAs: using, attachToTopicAs, unsettledWhenLost };
    }
    const attachAs: Wrap = (attach) => {
      const command = subscribing(attach);
      return using === undefined ? command : withCommand(using(attach), command);
    };
    return { attachAs, attachToTopicAs: undefined, unsettledWhenLost };
  }

  /** JMS-50 */
  #subscribing(
    link: ReceiverLink,
    terminus: Terminus,
    topicName: string,
  ): (attach: Attach) => AttachSubscriber {
    const subscriber = wantedSubscriber(link.attach.name, terminus, this.#options.connection.clientId);
    const autoDeleteOnIdleMs = this.#options.connection.idleMs.subscription;
    const mayCreate = this.#mayCreate(topicName);
    return (attach) => ({
      kind: 'attach-subscriber',
      linkId: attach.linkId,
      topicName,
      subscriber: { ...subscriber, selector: 'selector' in attach ? attach.selector : undefined },
      receiveMode: 'receiveMode' in attach ? attach.receiveMode : 'peek-lock',
      autoDeleteOnIdleMs,
      mayCreate,
      client: 'client' in attach ? attach.client : undefined,
    });
  }

  /** JMS-59: the subscription that a link without a source is about. */
  unsubscribed({ attach: { name, desiredCapabilities = [] } }: ReceiverLink): UnsubscribedNode {
    const isGlobal = desiredCapabilities.includes(GLOBAL);
    const clientId = isGlobal ? '' : this.#options.connection.clientId;
    return {
      identity: { name: nameIn(name), clientId },
      // The topic is not known before the subscription is found, so the right must be one on the whole namespace.
      unauthorized: this.#mayCreate('') ? undefined : unauthorized(name),
    };
  }

  /** JMS-33: the default-outcome of the source is applied to what is unsettled when the connection is lost. */
  #unsettledWhenLost({ defaultOutcome }: Terminus): UnsettledEnd {
    const state = decodeState(defaultOutcome && Buffer.from(defaultOutcome));
    return state?.kind === 'modified' && state.deliveryFailed ? 'abandon' : 'release';
  }

  /** JMS-40 */
  temporaryNode(role: 'sender' | 'receiver', node: Extract<UnnamedNode, { kind: 'temporary' }>): MadeNode {
    const { type, terminus } = node;
    const name = `temp-${type}-${this.#options.context.nextGuid()}`;
    this.#checkMayCreate(name);
    return {
      name,
      answered: withAddress(terminus, name),
      attachAs: (attach) => ({
        kind: 'attach-temporary',
        linkId: attach.linkId,
        role,
        type,
        name,
        receiveMode: 'receiveMode' in attach ? attach.receiveMode : 'peek-lock',
        client: 'client' in attach ? attach.client : undefined,
        selector: 'selector' in attach ? attach.selector : undefined,
      }),
    };
  }

  relay(): Relay {
    const { claims, context, maxMessageSizeBytes } = this.#options;
    return anonymousRelay({
      maxMessageSizeBytes,
      unauthorized: (entityPath) => {
        if (claims?.check({ path: entityPath, anyOf: ['Send'] }) === undefined) return undefined;
        const text = lackingRights(['Send'], context.host, entityPath);
        return new ServiceBusError('unauthorized', text, { entityPath });
      },
      used: (type, entityPath) => this.#used(type, entityPath),
    });
  }

  #used(type: 'queue' | 'topic', entityPath: string): UsedEntity | undefined {
    if (!isTopLevel(entityPath)) return undefined;
    const autoDeleteOnIdleMs = this.#options.connection.idleMs[type];
    return { type, name: entityPath, autoDeleteOnIdleMs, mayCreate: this.#mayCreate(entityPath) };
  }

  /** JMS-11 */
  #mayCreate(path: string): boolean {
    return this.#options.claims?.check({ path, anyOf: ['Manage'] }) === undefined;
  }

  #checkMayCreate(path: string): void {
    if (!this.#mayCreate(path)) throw unauthorized(path);
  }
}

function unauthorized(entityPath: string): ServiceBusError {
  const text = "Unauthorized access. 'Manage' claim(s) are required to perform this operation.";
  return new ServiceBusError('unauthorized', text, { entityPath });
}

/** JMS-38 */
function cannotBrowseTopic(entityPath: string): ServiceBusError {
  const text = `'${entityPath}' is a topic, which holds no messages to browse: browse the queue '${entityPath}/Subscriptions/<name>'.`;
  return new ServiceBusError('not-allowed', text, { entityPath, about: 'topic' });
}

/** The same command, which makes the same entity, around another one. */
function withCommand(using: Command, command: AttachSubscriber): Command {
  return using.kind === 'use-entity' ? { ...using, command } : command;
}

/** JMS-50, JMS-08 */
function wantedSubscriber(
  linkName: string,
  { capabilities = [], durable, expiryPolicy }: Terminus,
  clientId: string,
): WantedSubscriber {
  const isShared = capabilities.includes(SHARED);
  const isDurable = durable > 0 || expiryPolicy === 'never';
  return {
    name: isShared || isDurable ? nameIn(linkName) : undefined,
    clientId: capabilities.includes(GLOBAL) ? '' : clientId,
    isDurable,
    isShared,
  };
}

/** Qpid JMS numbers the links of a shared subscription behind the name. */
function nameIn(linkName: string): string {
  const [name = ''] = linkName.split('|', 1);
  return name;
}
