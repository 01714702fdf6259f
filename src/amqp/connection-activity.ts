// Records in the stream of activities what one connection and its links do, and names the client of a command.

import type { AmqpError, Open } from '../codec/performatives.js';
import { entryOf, textOf } from '../codec/read-value.js';
import type { RequestOrigin } from '../engine/requester.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { ClientActivity, ClientTransport, LinkRole } from '../watch/client-activity.js';
import { clientLabel, clientText, readUserAgent } from '../watch/client-label.js';
import { keptText } from '../watch/kept-text.js';
import type { ErrorContext } from './error-condition.js';
import { chosenIdentifier, identifierOf } from './link-identifier.js';
import { type ConnectionSummary, type OpenConnections, OpenLinks } from './open-connections.js';
import type { Identity } from './protocol/handshake.js';
import type { LinkWatcher } from './protocol/link-attachment.js';
import type { Link } from './protocol/link-table.js';
import type { Transport } from './transport.js';

/** So many characters of a name from a client are kept. */
const MAX_NAME_LENGTH = 120;
/** The most records that wait for the namespace of a client, which may put one token after the other for namespaces that do not exist. */
const MAX_EARLY = 20;

/** Where a client's byte stream comes from; both are undefined if that is not known. */
export type Remote = { readonly address?: string | undefined; readonly port?: number | undefined };

/** Where the connection is recorded and listed. */
type ActivityNamespace = {
  /** Undefined: nothing is said. */
  readonly activity: ActivityStream | undefined;
  readonly connections: OpenConnections;
};

type ConnectionActivityOptions = {
  /** Called when the number is first needed. */
  readonly connectionId: () => number;
  readonly context: ErrorContext;
  readonly transport: ClientTransport;
  readonly remote: Remote;
  /** The machine's time in milliseconds since 1970. */
  readonly now: () => number;
};

export class ConnectionActivity {
  readonly #options: ConnectionActivityOptions;
  #namespace: ActivityNamespace | undefined;
  /** Records from before the namespace is known: those of links to `$cbs`. */
  readonly #early: ClientActivity[] = [];
  readonly #connectionId: () => number;
  readonly #links = new OpenLinks();
  /** The entities of links that do not use the one their address names: a JMS consumer of a topic uses its subscription. */
  readonly #found = new WeakMap<Link, string>();
  #identity: Pick<ConnectionSummary, 'mechanism' | 'policy'> = { mechanism: undefined, policy: undefined };
  #label = '';
  /** The client's name of the connection. */
  #name = '';
  #isOpen = false;

  constructor(options: ConnectionActivityOptions) {
    this.#options = options;
    this.#connectionId = options.connectionId;
  }

  /** SASL has identified the client. */
  identified(identity: Identity): void {
    const { mechanism } = identity;
    this.#identity = { mechanism, policy: mechanism === 'PLAIN' ? keptText(identity.name) : undefined };
  }

  /** The namespace in which everything is recorded. What was recorded before is told by `tellEarly`. */
  bind(namespace: ActivityNamespace): void {
    this.#namespace = namespace;
  }

  tellEarly(): void {
    for (const early of this.#early.splice(0)) this.#add(early);
  }

  /** The connection is open, and its namespace is known. */
  opened({ containerId, properties }: Open, client: Transport): void {
    this.#isOpen = true;
    const { transport, remote, context, now } = this.#options;
    const connectionId = this.#connectionId();
    const name = keptText(containerId, MAX_NAME_LENGTH);
    const { product, prefix } = namesOf(properties);
    const { address, port } = remote;
    this.#label = clientLabel({ name, product, prefix, port });
    this.#name = name;
    const who = { connectionId, containerId: name, product, label: this.#label, ...this.#identity };
    const about = { ...who, transport, address, port, since: now() };
    this.#namespace?.connections.add({ ...about, client, links: this.#links, context });
    const named = { connectionId, name, product, label: this.#label };
    this.#stream?.connectionOpened(named, { kind: 'connection-opened', transport });
  }

  get #stream(): ActivityStream | undefined {
    return this.#namespace?.activity;
  }

  #add(activity: ClientActivity, linkId?: number): void {
    if (this.#namespace !== undefined) this.#stream?.add(activity, this.origin(linkId));
    else if (this.#early.length < MAX_EARLY) this.#early.push(activity);
  }

  /** The client of a link in words. */
  clientOf(link: Link): string {
    const identifier = chosenIdentifier(this.#links.identifierOf(link));
    return clientText({ label: this.#label, ...(identifier !== undefined && { identifier }) });
  }

  closed(error: AmqpError | undefined): void {
    if (!this.#isOpen) return;
    this.#namespace?.connections.delete(this.#connectionId());
    this.#stream?.connectionClosed(this.#connectionId(), causeOf(error));
  }

  /** The client of the commands of a link; without `linkId`, of a request. */
  origin(linkId: number | undefined): RequestOrigin | undefined {
    return this.#stream === undefined ? undefined : { connectionId: this.#connectionId(), linkId };
  }

  /** The link has this id at the engine. */
  linkOpened(link: Link, linkId: number): void {
    this.#links.identified(link, linkId);
    const identifier = chosenIdentifier(this.#links.identifierOf(link));
    this.#stream?.linkOpened(linkId, this.#connectionId(), identifier);
  }

  linkClosed(linkId: number): void {
    this.#stream?.linkClosed(linkId);
  }

  /** Names the entity that a link is found to be at, before it is attached: a consumer of a topic is at its subscription. */
  foundAt(link: Link, path: string): void {
    this.#found.set(link, path);
  }

  /** Records when the link is attached, refused or detached. */
  watch(link: Link, role: LinkRole, address: string): void {
    // Now, because the link forgets its ends once it is attached.
    this.#links.named(link, identifierOf(link, this.#name));
    const pathOf = () => this.#found.get(link) ?? address;
    const watcher: LinkWatcher = {
      attached: () => {
        this.#links.attached(link, { role, path: pathOf(), since: this.#options.now() });
        this.#add({ kind: 'link-attached', role, path: pathOf() });
      },
      refused: (error) => {
        const { condition, text } = partsOf(error);
        const said = { condition: condition ?? '', text: text ?? '' };
        this.#add({ kind: 'link-refused', role, path: pathOf(), ...said });
      },
      ended: (error) => {
        this.#links.ended(link);
        this.#add({ kind: 'link-detached', path: pathOf(), ...partsOf(error) }, this.#links.idOf(link));
      },
    };
    link.attachment.watcher = watcher;
  }

  faultFired(path: string, operation: string, fault: number, effect: string): void {
    this.#add({ kind: 'fault-fired', path, operation, effect, fault });
  }

  tokenAccepted(path: string, policy: string | undefined): void {
    this.#add({ kind: 'token-accepted', path, policy });
  }

  tokenRefused(path: string, reason: 'unauthorized' | 'entity-not-found', text: string): void {
    this.#add({ kind: 'token-refused', path, reason, text });
  }
}

function partsOf(error: AmqpError | undefined): { condition: string | undefined; text: string | undefined } {
  return { condition: error?.condition, text: error?.description };
}

function causeOf(error: AmqpError | undefined): string | undefined {
  if (error === undefined) return undefined;
  return error.description === undefined ? error.condition : `${error.condition}: ${error.description}`;
}

type Names = { readonly product?: string | undefined; readonly prefix?: string | undefined };

/** The SDK of a client and the program's own name: from `user-agent`, or `product` with `version`. */
function namesOf(properties: Open['properties']): Names {
  const kept = (name: string | undefined) => name && keptText(name, MAX_NAME_LENGTH);
  const userAgent = textOf(entryOf(properties, 'user-agent'))?.trim();
  if (userAgent !== undefined && userAgent !== '') {
    const { product, prefix } = readUserAgent(userAgent);
    return { product: kept(product), prefix: kept(prefix) };
  }
  const product = textOf(entryOf(properties, 'product'));
  const version = textOf(entryOf(properties, 'version'));
  return { product: kept(product && version !== undefined ? `${product}/${version}` : product) };
}
