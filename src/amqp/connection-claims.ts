// What the client of one connection has shown it may do, and which links depend on that. Only where authorization is strict.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { type After, MAX_DELAY_MS } from '../engine/after.js';
import { type Claim, opens } from '../security/access.js';
import { lackingRights } from '../security/access-wording.js';
import { pathKey } from '../security/resource-path.js';
import { describe, type ErrorContext, UNAUTHORIZED } from './error-condition.js';
import type { Link } from './protocol/session.js';

/** One of the rights is enough. */
export type Need = { readonly path: string; readonly anyOf: readonly AccessRight[] };

/** As the error of a link, or of an answer. */
export type Unauthorized = { readonly condition: string; readonly description: string };

export type ConnectionClaimsOptions = {
  readonly context: ErrorContext;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly after: After;
};

/** Audiences of one connection; an SDK puts a token for each entity that it speaks with. */
const MAX_CLAIMS = 4096;
/** No entity has a longer path. */
const MAX_PATH_LENGTH = 1024;
const MIN_LINKS_TO_TIDY = 64;

export class ConnectionClaims {
  readonly #options: ConnectionClaimsOptions;
  /** By what they open. */
  readonly #claims = new Map<string, Claim>();
  readonly #links = new Map<Link, readonly Need[]>();
  #ofConnection: Claim | undefined;
  #linksToTidy = MIN_LINKS_TO_TIDY;
  #ringsAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: () => void = () => {};
  #isOver = false;

  constructor(options: ConnectionClaimsOptions) {
    this.#options = options;
  }

  /** The client has said by SASL who it is: good for every link, and for as long as the connection. */
  authenticated(claim: Claim): void {
    this.#ofConnection = claim;
  }

  /** In the place of an earlier claim to the same. False when there are too many. */
  put(claim: Claim): boolean {
    if (this.#isOver) return true;
    const before = this.#claims.get(claim.path);
    if (before === undefined && this.#claims.size >= MAX_CLAIMS) return false;
    this.#claims.set(claim.path, claim);
    const isLess = before?.rights.some((right) => !claim.rights.includes(right)) === true;
    // Which is renewed with fewer rights: the service looks at the links again, too.
    if (isLess || before?.entityName !== claim.entityName) this.#detachUncovered('');
    if (claim.expiresAtMs < this.#ringsAtMs) this.#wait();
    return true;
  }

  /** Why a link may not be; undefined: it may, for as long as there is a claim for each of its needs. */
  admit(link: Link, needs: readonly Need[]): Unauthorized | undefined {
    for (const need of needs) {
      const error = this.check(need);
      if (error !== undefined) return error;
    }
    this.#remember(link, needs);
    return undefined;
  }

  /** Why something may not be done; undefined: it may. */
  check(need: Need): Unauthorized | undefined {
    return this.#isCovered(need) ? undefined : this.#errorOf(this.#lacking(need), need);
  }

  /** The connection has ended. */
  stop(): void {
    this.#isOver = true;
    this.#stopTimer();
    this.#links.clear();
    this.#claims.clear();
  }

  #isCovered({ path, anyOf }: Need): boolean {
    const ofConnection = this.#ofConnection;
    if (ofConnection !== undefined && anyOf.some((right) => opens(ofConnection, right, path))) return true;
    const nowMs = this.#options.now();
    for (const key of outerPaths(path)) {
      const claim = this.#claims.get(key);
      if (claim === undefined || claim.expiresAtMs <= nowMs) continue;
      if (anyOf.some((right) => opens(claim, right, path))) return true;
    }
    return false;
  }

  /**
   * Nobody tells us of links that have gone: those whose deliveries are all settled are forgotten when there are twice as many
   * links as there were.
   */
  #remember(link: Link, needs: readonly Need[]): void {
    this.#links.set(link, needs);
    if (this.#links.size < this.#linksToTidy) return;
    for (const each of this.#links.keys()) if (!isInUse(each)) this.#links.delete(each);
    this.#linksToTidy = Math.max(MIN_LINKS_TO_TIDY, 2 * this.#links.size);
  }

  /** Until the first claim ends; one that has been renewed meanwhile is no reason to do anything. */
  #wait(): void {
    this.#stopTimer();
    this.#ringsAtMs = Math.min(...[...this.#claims.values()].map(({ expiresAtMs }) => expiresAtMs));
    if (!Number.isFinite(this.#ringsAtMs)) return;
    const delayMs = Math.min(MAX_DELAY_MS, Math.max(1, this.#ringsAtMs - this.#options.now()));
    this.#stopTimer = this.#options.after(delayMs, () => this.#ring());
  }

  #ring(): void {
    const nowMs = this.#options.now();
    let hasEnded = false;
    for (const [key, { expiresAtMs }] of this.#claims) {
      if (expiresAtMs <= nowMs) hasEnded = this.#claims.delete(key);
    }
    if (hasEnded) this.#detachUncovered('ExpiredToken: The token is expired. ');
    this.#wait();
  }

  #detachUncovered(why: string): void {
    for (const [link, needs] of this.#links) {
      const need = needs.find((each) => !this.#isCovered(each));
      if (need === undefined) continue;
      this.#links.delete(link);
      if (link.attachment.isOpen) this.#detach(link, need, why); // LNK-08
      // Also of a link that was detached before: who may no longer receive settles nothing that it has received.
      if (link.role === 'receiver') link.forgetDeliveries();
    }
  }

  #detach(link: Link, need: Need, why: string): void {
    const sentence =
      `The link '${link.attach.name}' is force detached. Code: RenewToken. ` +
      `Details: ${why}${this.#lacking(need)}`;
    link.detach(this.#errorOf(sentence, need));
    // At once, not with the client's answer: what comes for the link meanwhile must go to others.
    link.onGone();
  }

  #lacking({ path, anyOf }: Need): string {
    return lackingRights(anyOf, this.#options.context.host, path);
  }

  #errorOf(sentence: string, { path }: Need): Unauthorized {
    return { condition: UNAUTHORIZED, description: describe(sentence, this.#options.context, path) };
  }
}

/** The client may settle what a link has delivered until its AMQP session ends. */
function isInUse(link: Link): boolean {
  return link.attachment.isOpen || (link.role === 'receiver' && link.hasUnsettled);
}

/** The path itself and all that it is in, up to the namespace. */
function* outerPaths(path: string): Iterable<string> {
  let key = path.length > MAX_PATH_LENGTH ? '' : pathKey(path);
  while (key !== '') {
    yield key;
    key = key.slice(0, Math.max(0, key.lastIndexOf('/')));
  }
  yield '';
}
