// Decides which web pages may send requests: checks Host against DNS rebinding, and Origin against foreign pages (CORS).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';

export type OriginCheckOptions = {
  /** Accepted host names in addition to the names of this machine; `*.` stands for any labels. */
  readonly hosts?: readonly string[];
  /** Accepted origins of pages, such as `https://app.example.com`; `*` means all. */
  readonly origins?: readonly string[];
  /** Whether other machines and containers can connect. If so, names of their network are accepted too. */
  readonly isReached?: boolean;
  /** Requests that are answered for every Host, because they reveal and change nothing. */
  readonly isForEveryHost?: (request: IncomingMessage) => boolean;
  /** Called once for each refused host or origin. */
  readonly warn?: (text: string) => void;
};

/** `remedy` is the option that would accept the request. */
type Refusal = { readonly why: string; readonly remedy: string };

/** Host names that no foreign name server controls: the names of this machine, and Azure's namespaces, which a hosts file may point here. */
const OWN_HOSTS: readonly string[] = ['localhost', '*.localhost', '*.servicebus.windows.net'];
/** Names of this machine seen from a container, and of services in Kubernetes. */
const NETWORK_HOSTS: readonly string[] = [
  ...['*.docker.internal', 'host.containers.internal'],
  ...['*.svc', '*.svc.cluster.local'],
];
/** The most refused hosts and origins that are logged, because a client can invent any number. */
const MAX_LOGGED = 20;
const METHODS = 'GET, HEAD, PUT, POST, DELETE';
/** The longest time for which browsers cache a preflight. */
const PREFLIGHT_SECONDS = 7200;

export class OriginCheck {
  readonly #hosts: readonly string[];
  readonly #origins: ReadonlySet<string>;
  readonly #isReached: boolean;
  readonly #isForEveryHost: (request: IncomingMessage) => boolean;
  readonly #warn: (text: string) => void;
  readonly #logged = new Set<string>();

  constructor(options: OriginCheckOptions = {}) {
    const { hosts = [], origins = [], isReached = false } = options;
    const { isForEveryHost = () => false, warn = () => {} } = options;
    const ofNetwork = isReached ? NETWORK_HOSTS : [];
    this.#hosts = [...OWN_HOSTS, ...ofNetwork, ...hosts.map((host) => host.toLowerCase())];
    this.#isReached = isReached;
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
    this.#isForEveryHost = isForEveryHost;
    this.#warn = warn;
  }

  /** The reason why a request is refused; undefined if it is not. */
  refusal(request: IncomingMessage): string | undefined {
    const refusal = this.#hostRefusal(request) ?? this.#originRefusal(request);
    if (refusal === undefined) return undefined;
    const text = `${refusal.why}, start with ${refusal.remedy}`;
    this.#logOnce(refusal, text);
    return text;
  }

  /** Answers refused requests and preflights, and sets the CORS headers of all others. Returns whether it has answered. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const refusal = this.refusal(request);
    if (refusal !== undefined) {
      response.writeHead(403, { 'content-type': 'application/xml; charset=utf-8' });
      response.end(`<Error><Code>403</Code><Detail>${escaped(refusal)}</Detail></Error>`);
      // An unread body would hold the connection.
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
    // HTTP/1.0 needs no Host header, and browsers do not use it.
    const { host } = request.headers;
    if (host === undefined || this.#isAcceptedHost(hostNameOf(host)) || this.#isForEveryHost(request)) {
      return undefined;
    }
    return {
      why: `The host '${shortened(host)}' is not known here. If it is a name of this machine`,
      remedy: `--allow-host ${hostNameOf(shortened(host))}`,
    };
  }

  #originRefusal({ headers: { host, origin } }: IncomingMessage): Refusal | undefined {
    if (origin === undefined || this.#isAcceptedOrigin(origin, host)) return undefined;
    return {
      why: `Pages of '${shortened(origin)}' may not use this emulator. If they are yours`,
      remedy: `--cors ${shortened(origin)}`,
    };
  }

  #logOnce({ remedy }: Refusal, text: string): void {
    if (this.#logged.has(remedy) || this.#logged.size > MAX_LOGGED) return;
    this.#logged.add(remedy);
    const isLast = this.#logged.size > MAX_LOGGED;
    this.#warn(
      isLast ? 'More hosts and origins are refused, but no longer logged' : `A request was refused: ${text}`,
    );
  }

  #isAcceptedHost(name: string): boolean {
    if (isIP(name) !== 0) return true;
    // A name without a dot belongs to a local network, such as the network of a container.
    if (this.#isReached && !name.includes('.')) return true;
    return this.#hosts.some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
  }

  #isAcceptedOrigin(origin: string, host: string | undefined): boolean {
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
  const requested = headers['access-control-request-headers'];
  return {
    'access-control-allow-methods': METHODS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
    // `*` does not cover Authorization.
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
    ...(headers['access-control-request-private-network'] === 'true'
      ? { 'access-control-allow-private-network': 'true' }
      : {}),
  };
}

/** A host name in lower case, without the port, the brackets of IPv6 and the final dot of a full name. */
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
