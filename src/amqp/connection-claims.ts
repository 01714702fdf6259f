// The proven claims of one connection's client, and the links that depend on them. Used only in strict mode.

import type { AccessRight } from '../broker/contract/entities/authorization-rule.js';
import { MAX_DELAY_MS, type StartTimer } from '../engine/timer.js';
import { type Claim, lackingRights, opens } from '../security/access.js';
import { pathKey } from '../security/resource-path.js';
import { describe, type ErrorContext, UNAUTHORIZED } from './error-condition.js';
import type { Link } from './protocol/link-table.js';

/** A path, and the rights on it. A link or operation needs one of the rights. */
export type Need = { readonly path: string; readonly anyOf: readonly AccessRight[] };

/** The error of a link or an answer. */
export type Unauthorized = { readonly condition: string; readonly description: string };

type ConnectionClaimsOptions = {
  readonly context: ErrorContext;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly startTimer: StartTimer;
};

/** Limit of audiences of one connection. An SDK puts a token for each entity that it uses. */
const MAX_CLAIMS = 4096;
/** The longest path of an entity. */
const MAX_PATH_LENGTH = 1024;
const MIN_LINKS_TO_TIDY = 64;

export class ConnectionClaims {
  readonly #options: ConnectionClaimsOptions;
  /** Claims by their path. */
  readonly #claims = new Map<string, Claim>();
  readonly #links = new Map<Link, readonly Need[]>();
  #ofConnection: Claim | undefined;
  #linksToTidy = MIN_LINKS_TO_TIDY;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: () => void = () => {};
  #isOver = false;

  constructor(options: ConnectionClaimsOptions) {
    this.#options = options;
  }

  /** Sets the claim from SASL, which applies to every link for the life of the connection. */
  authenticated(claim: Claim): void {
    this.#ofConnection = claim;
  }

  /** Adds a claim, or replaces the claim with the same path. False when there are too many. */
  put(claim: Claim): boolean {
    if (this.#isOver) return true;
    const before = this.#claims.get(claim.path);
    if (before === undefined && this.#claims.size >= MAX_CLAIMS) return false;
    this.#claims.set(claim.path, claim);
    const isLess = before?.rights.some((right) => !claim.rights.includes(right)) === true;
    // The claim was renewed with fewer rights or for another entity. The service checks the links again, too.
    if (isLess || before?.entityName !== claim.entityName) this.#detachUncovered('');
    if (claim.expiresAtMs < this.#timerAtMs) this.#wait();
    return true;
  }

  /** The error for a link that lacks a right. Otherwise undefined, and the link is watched until a claim that it needs ends. */
  admit(link: Link, needs: readonly Need[]): Unauthorized | undefined {
    for (const need of needs) {
      const error = this.check(need);
      if (error !== undefined) return error;
    }
    this.#remember(link, needs);
    return undefined;
  }

  /** The error when no claim covers the need; undefined when one does. */
  check(need: Need): Unauthorized | undefined {
    return this.#isCovered(need) ? undefined : this.#errorOf(this.#lacking(need), need);
  }

  /** Forgets everything, because the connection has ended. */
  end(): void {
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
   * Watches a link. Detached links are not reported here, so each time the number of links has doubled, the detached ones
   * whose deliveries are all settled are forgotten.
   */
  #remember(link: Link, needs: readonly Need[]): void {
    this.#links.set(link, needs);
    if (this.#links.size < this.#linksToTidy) return;
    for (const each of this.#links.keys()) if (!isInUse(each)) this.#links.delete(each);
    this.#linksToTidy = Math.max(MIN_LINKS_TO_TIDY, 2 * this.#links.size);
  }

  /** Sets the timer to the earliest expiry of a claim. */
  #wait(): void {
    this.#stopTimer();
    this.#timerAtMs = Math.min(...[...this.#claims.values()].map(({ expiresAtMs }) => expiresAtMs));
    if (!Number.isFinite(this.#timerAtMs)) return;
    const delayMs = Math.min(MAX_DELAY_MS, Math.max(1, this.#timerAtMs - this.#options.now()));
    this.#stopTimer = this.#options.startTimer(delayMs, () => this.#onTimer());
  }

  #onTimer(): void {
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
      // Also for a link that is already detached: a client without the right to receive must not settle any more.
      if (link.role === 'receiver') link.forgetDeliveries();
    }
  }

  #detach(link: Link, need: Need, why: string): void {
    const sentence =
      `The link '${link.attach.name}' is force detached. Code: RenewToken. ` +
      `Details: ${why}${this.#lacking(need)}`;
    link.detach(this.#errorOf(sentence, need));
    // Does not wait for the client's detach, because messages must go to other links from now on.
    link.onGone();
  }

  #lacking({ path, anyOf }: Need): string {
    return lackingRights(anyOf, this.#options.context.host, path);
  }

  #errorOf(sentence: string, { path }: Need): Unauthorized {
    return { condition: UNAUTHORIZED, description: describe(sentence, this.#options.context, path) };
  }
}

/** Whether the client may still use the link, or settle its deliveries although it is detached (LNK-01). */
function isInUse(link: Link): boolean {
  return link.attachment.isOpen || (link.role === 'receiver' && link.hasUnsettled);
}

/** The keys of the path and of all paths that contain it, up to the namespace. */
function* outerPaths(path: string): Iterable<string> {
  let key = path.length > MAX_PATH_LENGTH ? '' : pathKey(path);
  while (key !== '') {
    yield key;
    key = key.slice(0, Math.max(0, key.lastIndexOf('/')));
  }
  yield '';
}
