// Watches one connection for links that are not used, for having none, and for a token that does not come (LNK-07).

import type { AmqpError } from '../codec/performatives.js';
import { describe, type ErrorContext } from './error-condition.js';
import type { IdleTimeouts } from './idle-timeouts.js';
import type { Connection } from './protocol/connection.js';
import type { Link } from './protocol/session.js';
import { timeSpan } from './time-span.js';

export type IdleWatchOptions = {
  readonly timeouts: IdleTimeouts;
  /** Ours, which Azure names in what it tells the client. */
  readonly containerId: string;
  readonly context: ErrorContext;
};

type Watched = { readonly entityPath: string; usedAtMs: number; isOfSession: boolean };

const DETACH_FORCED = 'amqp:link:detach-forced';
const CONNECTION_FORCED = 'amqp:connection:forced';

/** Has no timer of its own, and looks at no message: links remember whether they were used since the last look. */
export class IdleWatch {
  readonly #options: IdleWatchOptions;
  readonly #links = new Map<Link, Watched>();
  #lastTickMs: number | undefined;
  /** The watch's own time: how long the connection has been read. Nobody is idle whom we do not hear. */
  #nowMs = 0;
  #hadLinkAtMs = 0;
  #hasHadLink = false;
  #isAuthorized = false;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  /** A link asks to be attached. Those to `$cbs` are not told of: to Azure a connection with no others has none. */
  attaching(link: Link, entityPath: string): void {
    this.#links.set(link, { entityPath, usedAtMs: this.#nowMs, isOfSession: false });
  }

  /**
   * A link that has been told of waits for a session or holds one, and is never idle. A handler may work on one message
   * for longer than any timeout, its session kept by renewals that come on another link; and who has forgotten a session
   * loses it, and the link, when its lock ends (SES-12).
   */
  ofSession(link: Link): void {
    const watched = this.#links.get(link);
    // Differs from Azure: every link that is not used is detached there, as its articles have it.
    if (watched !== undefined) watched.isOfSession = true;
  }

  /** The client has said who it is, by SASL or with a token. */
  authorized(): void {
    this.#isAuthorized = true;
  }

  tick(connection: Connection, nowMs: number): void {
    if (!connection.isHeldBack) this.#nowMs += nowMs - (this.#lastTickMs ?? nowMs);
    this.#lastTickMs = nowMs;
    this.#lookAtLinks();
    const reason = this.#reasonToClose();
    if (reason !== undefined) connection.close(this.#errorOf(CONNECTION_FORCED, reason)); // LNK-07
  }

  #lookAtLinks(): void {
    const { linkMs } = this.#options.timeouts;
    for (const [link, watched] of this.#links) {
      const { attachment } = link;
      // Also of a link that has come and gone since the last look.
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
      `Details: ${origin}.IdleTimerExpired: Idle timeout: ${timeSpan(this.#options.timeouts.linkMs)}.`;
    link.detach(this.#errorOf(DETACH_FORCED, sentence, entityPath));
    // At once, not with the client's answer: what comes for the link meanwhile must go to others.
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
