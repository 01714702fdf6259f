// Which web pages may speak with us: the Host of every request is looked at against DNS rebinding, the Origin against strangers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';

export type VisitorOptions = {
  /** Names by which we may be asked for, besides those of this machine; `*.` stands for any labels. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may speak with us, such as `https://app.example.com`; `*` is all of them. */
  readonly origins?: readonly string[];
  /** Whether other machines and containers come here: then names of their network are ours, too. */
  readonly isReached?: boolean;
  /** Requests that are answered whatever their Host: they tell nothing, and change nothing. */
  readonly isForEveryHost?: (request: IncomingMessage) => boolean;
  /** Told once of each host and origin that is refused. */
  readonly tell?: (text: string) => void;
};

/** `remedy` is the option that would let it in. */
type Refusal = { readonly why: string; readonly remedy: string };

/** Names that no stranger's name server answers for: this machine's, and those of Azure's namespaces, which a hosts file may point here. */
const OWN_HOSTS: readonly string[] = ['localhost', '*.localhost', '*.servicebus.windows.net'];
/** Names of this machine seen from a container, and those of services in Kubernetes. */
const NETWORK_HOSTS: readonly string[] = [
  ...['*.docker.internal', 'host.containers.internal'],
  ...['*.svc', '*.svc.cluster.local'],
];
/** Hosts and origins that are told of: strangers can make up any number. */
const MOST_TOLD = 20;
const METHODS = 'GET, HEAD, PUT, POST, DELETE';
/** The longest time that browsers keep what they were told. */
const REMEMBERED_SECONDS = 7200;

export class VisitorCheck {
  readonly #hosts: readonly string[];
  readonly #origins: ReadonlySet<string>;
  readonly #isReached: boolean;
  readonly #isForEveryHost: (request: IncomingMessage) => boolean;
  readonly #tell: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(options: VisitorOptions = {}) {
    const { hosts = [], origins = [], isReached = false } = options;
    const { isForEveryHost = () => false, tell = () => {} } = options;
    const ofNetwork = isReached ? NETWORK_HOSTS : [];
    this.#hosts = [...OWN_HOSTS, ...ofNetwork, ...hosts.map((host) => host.toLowerCase())];
    this.#isReached = isReached;
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
    this.#isForEveryHost = isForEveryHost;
    this.#tell = tell;
  }

  /** Why a request is not answered; undefined: it may be. */
  refusal(request: IncomingMessage): string | undefined {
    const refusal = this.#hostRefusal(request) ?? this.#originRefusal(request);
    if (refusal === undefined) return undefined;
    const text = `${refusal.why}, start with ${refusal.remedy}`;
    this.#tellOnce(refusal, text);
    return text;
  }

  /** Answers what needs no more than this: refusals, and a browser's question whether it may ask. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const refusal = this.refusal(request);
    if (refusal !== undefined) {
      response.writeHead(403, { 'content-type': 'application/xml; charset=utf-8' });
      response.end(`<Error><Code>403</Code><Detail>${escaped(refusal)}</Detail></Error>`);
      // A body nobody reads must not hold the connection.
      request.resume();
      return true;
    }
    const { origin } = request.headers;
    if (origin === undefined) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'Origin');
    response.setHeader('access-control-expose-headers', '*');
    if (!isPreflight(request)) return false;
    response.writeHead(204, preflightAnswer(request)).end();
    return true;
  }

  #hostRefusal(request: IncomingMessage): Refusal | undefined {
    // HTTP/1.0 needs no Host, and is not what a browser speaks.
    const { host } = request.headers;
    if (host === undefined || this.#isOurs(hostNameOf(host)) || this.#isForEveryHost(request)) {
      return undefined;
    }
    return {
      why: `The host '${shortened(host)}' is not known here. If it is a name of this machine`,
      remedy: `--allow-host ${hostNameOf(shortened(host))}`,
    };
  }

  #originRefusal({ headers: { host, origin } }: IncomingMessage): Refusal | undefined {
    if (origin === undefined || this.#isWelcome(origin, host)) return undefined;
    return {
      why: `Pages of '${shortened(origin)}' may not speak with this emulator. If they are yours`,
      remedy: `--cors ${shortened(origin)}`,
    };
  }

  #tellOnce({ remedy }: Refusal, text: string): void {
    if (this.#told.has(remedy) || this.#told.size > MOST_TOLD) return;
    this.#told.add(remedy);
    const isLast = this.#told.size > MOST_TOLD;
    this.#tell(
      isLast ? 'More hosts and origins are refused, and not logged' : `A request was refused: ${text}`,
    );
  }

  #isOurs(name: string): boolean {
    if (isIP(name) !== 0) return true;
    // A name without a dot is one of a local network, such as that of a container.
    if (this.#isReached && !name.includes('.')) return true;
    return this.#hosts.some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
  }

  #isWelcome(origin: string, host: string | undefined): boolean {
    if (this.#origins.has('*') || this.#origins.has(origin.toLowerCase())) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
    return url.host === host?.toLowerCase() || isLoopback(hostNameOf(url.host));
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function preflightAnswer({ headers }: IncomingMessage): Record<string, string> {
  const asked = headers['access-control-request-headers'];
  return {
    'access-control-allow-methods': METHODS,
    'access-control-max-age': String(REMEMBERED_SECONDS),
    // A star would not stand for Authorization.
    ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
    ...(headers['access-control-request-private-network'] === 'true'
      ? { 'access-control-allow-private-network': 'true' }
      : {}),
  };
}

/** Without the port, without the brackets of IPv6, and without the dot that ends a full name. */
function hostNameOf(host: string): string {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  return name.startsWith('[') ? name.slice(1, -1) : name.replace(/\.$/, '');
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127\.[\d.]+$/.test(name);
}

function shortened(text: string): string {
  return text.slice(0, 200);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
