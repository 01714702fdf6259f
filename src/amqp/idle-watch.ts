// Watches one connection for idle links, for missing links and for a missing token (LNK-07).

import type { AmqpError } from '../codec/performatives.js';
import { describe, type ErrorContext } from './error-condition.js';
import type { Connection } from './protocol/connection.js';
import type { Link } from './protocol/link-table.js';
import { formatTimeSpan } from './time-span.js';

/** How long links and connections may be idle before they are closed (LNK-07). */
export type IdleTimeouts = {
  /** For a link without a transfer, a flow or a disposition. */
  readonly linkMs: number;
  /** For a connection whose links are all gone. */
  readonly connectionWithoutLinksMs: number;
  /** For a connection that never had a link. */
  readonly newConnectionMs: number;
  /** From connecting to the first token, for clients that SASL has not identified. */
  readonly authorizationMs: number;
};

export const AZURE_IDLE_TIMEOUTS: IdleTimeouts = {
  linkMs: 600_000,
  connectionWithoutLinksMs: 300_000,
  newConnectionMs: 60_000,
  authorizationMs: 20_000,
};

export const NO_IDLE_TIMEOUTS: IdleTimeouts = {
  linkMs: Number.POSITIVE_INFINITY,
  connectionWithoutLinksMs: Number.POSITIVE_INFINITY,
  newConnectionMs: Number.POSITIVE_INFINITY,
  authorizationMs: Number.POSITIVE_INFINITY,
};

type IdleWatchOptions = {
  readonly timeouts: IdleTimeouts;
  /** The emulator's container id, which Azure names in the error. */
  readonly containerId: string;
  readonly context: ErrorContext;
};

type Watched = { readonly entityPath: string; usedAtMs: number; isOfSession: boolean };

const DETACH_FORCED = 'amqp:link:detach-forced';
const CONNECTION_FORCED = 'amqp:connection:forced';

/** Works without timers and without a step per message: links remember whether they were used since the last tick. */
export class IdleWatch {
  readonly #options: IdleWatchOptions;
  readonly #links = new Map<Link, Watched>();
  #lastTickMs: number | undefined;
  /** How long we have read from the connection. A client from which we do not read is not idle. */
  #nowMs = 0;
  #hadLinkAtMs = 0;
  #hasHadLink = false;
  #isAuthorized = false;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  /** Watches a link that requests to be attached. Links to `$cbs` are not watched: Azure counts a connection with no others as one without links. */
  attaching(link: Link, entityPath: string): void {
    this.#links.set(link, { entityPath, usedAtMs: this.#nowMs, isOfSession: false });
  }

  /**
   * Exempts a link that waits for a message session or holds one. A handler may work on one message for longer than any
   * timeout, while renewals of the session come on another link. A client that has forgotten its session loses session and
   * link when the lock ends (SES-12).
   */
  ofSession(link: Link): void {
    const watched = this.#links.get(link);
    // Differs from Azure: its articles say that every idle link is detached.
    if (watched !== undefined) watched.isOfSession = true;
  }

  /** Notes that the client has been identified, by SASL or with a token. */
  authorized(): void {
    this.#isAuthorized = true;
  }

  tick(connection: Connection, nowMs: number): void {
    if (!connection.isHeldBack) this.#nowMs += nowMs - (this.#lastTickMs ?? nowMs);
    this.#lastTickMs = nowMs;
    this.#checkLinks();
    const reason = this.#reasonToClose();
    if (reason !== undefined) connection.close(this.#errorOf(CONNECTION_FORCED, reason)); // LNK-07
  }

  #checkLinks(): void {
    const { linkMs } = this.#options.timeouts;
    for (const [link, watched] of this.#links) {
      const { attachment } = link;
      // A link that was attached and detached since the last tick counts, too.
      const wasUsed = attachment.takeUse();
      this.#hasHadLink ||= wasUsed;
      if (wasUsed || attachment.isOpen) this.#hadLinkAtMs = this.#nowMs;
      const isExcused = attachment.state === 'attaching' || watched.isOfSession;
      if (wasUsed || isExcused) watched.usedAtMs = this.#nowMs;
      if (!attachment.isOpen) this.#links.delete(link);
      else if (this.#nowMs - watched.usedAtMs >= linkMs) this.#detach(link, watched.entityPath); // LNK-07
    }
  }

  #detach(link: Link, entityPath: string): void {
    const [code, origin] =
      link.role === 'sender' ? ['publisher', 'AmqpMessagePublisher'] : ['consumer', 'AmqpMessageConsumer'];
    const { attach, attachment } = link;
    const sentence =
      `The link '${attach.name}' is force detached. Code: ${code}(link${attachment.localHandle}). ` +
      `Details: ${origin}.IdleTimerExpired: Idle timeout: ${formatTimeSpan(this.#options.timeouts.linkMs)}.`;
    link.detach(this.#errorOf(DETACH_FORCED, sentence, entityPath));
    // Does not wait for the client's detach, because messages must go to other links from now on.
    link.onGone();
    this.#links.delete(link);
  }

  #reasonToClose(): string | undefined {
    const { containerId, timeouts } = this.#options;
    const { authorizationMs, connectionWithoutLinksMs, newConnectionMs } = timeouts;
    if (!this.#isAuthorized && this.#nowMs >= authorizationMs) {
      return `The connection was closed by container '${containerId}' because no token was put to $cbs within ${authorizationMs} milliseconds.`;
    }
    const linklessMs = this.#hasHadLink ? connectionWithoutLinksMs : newConnectionMs;
    if (this.#nowMs - this.#hadLinkAtMs < linklessMs) return undefined;
    return `The connection was closed by container '${containerId}' because it did not have any active links in the past ${linklessMs} milliseconds.`;
  }

  #errorOf(condition: string, sentence: string, entityPath?: string): AmqpError {
    return { condition, description: describe(sentence, this.#options.context, entityPath) };
  }
}

export function hasTimeouts(timeouts: IdleTimeouts): boolean {
  return Object.values(timeouts).some((timeoutMs) => Number.isFinite(timeoutMs));
}
