// Records in the stream of activities what one connection and its links do, and names the client of a command.

import type { AmqpError, Open } from '../codec/performatives.js';
import { entryOf, textOf } from '../codec/read-value.js';
import type { RequestOrigin } from '../engine/requester.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { ClientTransport, LinkRole } from '../watch/client-activity.js';
import { keptText } from '../watch/kept-text.js';
import type { ErrorContext } from './error-condition.js';
import { type ConnectionSummary, type OpenConnections, OpenLinks } from './open-connections.js';
import type { Identity } from './protocol/handshake.js';
import type { LinkWatcher } from './protocol/link-attachment.js';
import type { Link } from './protocol/link-table.js';
import type { Transport } from './transport.js';

/** So many characters of a name from a client are kept. */
const MAX_NAME_LENGTH = 120;

type ConnectionActivityOptions = {
  /** Undefined: nothing is said. */
  readonly stream: ActivityStream | undefined;
  readonly connections: OpenConnections;
  /** Called when the number is first needed. */
  readonly connectionId: () => number;
  readonly context: ErrorContext;
  readonly transport: ClientTransport;
  readonly remoteAddress: string | undefined;
  /** The machine's time in milliseconds since 1970. */
  readonly now: () => number;
};

export class ConnectionActivity {
  readonly #options: ConnectionActivityOptions;
  readonly #stream: ActivityStream | undefined;
  readonly #connectionId: () => number;
  readonly #links = new OpenLinks();
  #identity: Pick<ConnectionSummary, 'mechanism' | 'policy'> = { mechanism: undefined, policy: undefined };
  #clientText: string | undefined;
  #isOpen = false;

  constructor(options: ConnectionActivityOptions) {
    this.#options = options;
    this.#stream = options.stream;
    this.#connectionId = options.connectionId;
  }

  /** SASL has identified the client. */
  identified(identity: Identity): void {
    const { mechanism } = identity;
    this.#identity = { mechanism, policy: mechanism === 'PLAIN' ? keptText(identity.name) : undefined };
  }

  opened({ containerId, properties }: Open, client: Transport): void {
    this.#isOpen = true;
    const { transport, remoteAddress, context, connections, now } = this.#options;
    const connectionId = this.#connectionId();
    const name = keptText(containerId, MAX_NAME_LENGTH);
    const product = productOf(properties);
    this.#clientText = product === undefined ? name : `${product} (${name})`;
    const who = { connectionId, containerId: name, product, ...this.#identity };
    const about = { ...who, transport, remoteAddress, since: now() };
    connections.add({ ...about, client, links: this.#links, context });
    this.#stream?.connectionOpened({ connectionId, name, product }, { kind: 'connection-opened', transport });
  }

  /** The client in words: its SDK and the name of its connection. */
  get clientText(): string | undefined {
    return this.#clientText;
  }

  closed(error: AmqpError | undefined): void {
    if (!this.#isOpen) return;
    this.#options.connections.delete(this.#connectionId());
    this.#stream?.connectionClosed(this.#connectionId(), causeOf(error));
  }

  /** The client of the commands of a link; without `linkId`, of a request. */
  origin(linkId: number | undefined): RequestOrigin | undefined {
    return this.#stream === undefined ? undefined : { connectionId: this.#connectionId(), linkId };
  }

  /** The link has this id at the engine. */
  linkOpened(link: Link, linkId: number): void {
    this.#links.identified(link, linkId);
    this.#stream?.linkOpened(linkId, this.#connectionId());
  }

  linkClosed(linkId: number): void {
    this.#stream?.linkClosed(linkId);
  }

  /** Records when the link is attached, refused or detached. */
  watch(link: Link, role: LinkRole, path: string): void {
    const stream = this.#stream;
    const origin = this.origin(undefined);
    const watcher: LinkWatcher = {
      attached: () => {
        this.#links.attached(link, { role, path, since: this.#options.now() });
        stream?.add({ kind: 'link-attached', role, path }, origin);
      },
      refused: (error) => {
        const { condition, text } = partsOf(error);
        stream?.add(
          { kind: 'link-refused', role, path, condition: condition ?? '', text: text ?? '' },
          origin,
        );
      },
      ended: (error) => {
        this.#links.ended(link);
        stream?.add({ kind: 'link-detached', path, ...partsOf(error) }, origin);
      },
    };
    link.attachment.watcher = watcher;
  }

  faultFired(path: string, operation: string, fault: number, effect: string): void {
    this.#stream?.add({ kind: 'fault-fired', path, operation, effect, fault }, this.origin(undefined));
  }

  tokenAccepted(path: string, policy: string | undefined): void {
    this.#stream?.add({ kind: 'token-accepted', path, policy }, this.origin(undefined));
  }

  tokenRefused(path: string, reason: 'unauthorized' | 'entity-not-found', text: string): void {
    this.#stream?.add({ kind: 'token-refused', path, reason, text }, this.origin(undefined));
  }
}

function partsOf(error: AmqpError | undefined): { condition: string | undefined; text: string | undefined } {
  return { condition: error?.condition, text: error?.description };
}

function causeOf(error: AmqpError | undefined): string | undefined {
  if (error === undefined) return undefined;
  return error.description === undefined ? error.condition : `${error.condition}: ${error.description}`;
}

/** The SDK and its version: the first word of `user-agent`, or `product` with `version`. */
function productOf(properties: Open['properties']): string | undefined {
  const userAgent = textOf(entryOf(properties, 'user-agent'))?.trim().split(/[\s,]/)[0];
  if (userAgent !== undefined && userAgent !== '') return keptText(userAgent, MAX_NAME_LENGTH);
  const product = textOf(entryOf(properties, 'product'));
  const version = textOf(entryOf(properties, 'version'));
  if (product === undefined) return undefined;
  return keptText(version === undefined ? product : `${product}/${version}`, MAX_NAME_LENGTH);
}
