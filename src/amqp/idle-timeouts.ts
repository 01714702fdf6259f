// How long links and connections may go unused before they are closed, as Azure does it, and not at all (LNK-07).

export type IdleTimeouts = {
  /** Of a link without a transfer, a flow or a disposition. */
  readonly linkMs: number;
  /** Of a connection whose links are all gone. */
  readonly connectionWithoutLinksMs: number;
  /** Of a connection that never had a link. */
  readonly newConnectionMs: number;
  /** From the connect to the first token, for clients that SASL has told us nothing about. */
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

/** Whether there is anything to watch for. */
export function hasTimeouts(timeouts: IdleTimeouts): boolean {
  return Object.values(timeouts).some((timeoutMs) => Number.isFinite(timeoutMs));
}
