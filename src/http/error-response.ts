// The one table from the broker's reasons to HTTP statuses (semantics B.25), and how an error looks on HTTP.

import type { ErrorReason, ServiceBusError } from '../broker/service-bus-error.js';
import { type Tracking, trackedText, wordError } from '../wording/error-wording.js';
import { escapeText } from './xml-text.js';

type Statuses = {
  readonly administration: number;
  /** Of sends and receives, which have a table of their own. */
  readonly runtime: number;
  /** What the administration says before the sentence, for clients to tell errors of one status apart. */
  readonly subCode?: number;
};

const STATUSES: Readonly<Record<ErrorReason, Statuses>> = {
  'entity-not-found': { administration: 404, runtime: 410 },
  'entity-already-exists': { administration: 409, runtime: 409, subCode: 40900 },
  'entity-disabled': { administration: 400, runtime: 400 },
  'message-lock-lost': { administration: 400, runtime: 404 },
  'session-lock-lost': { administration: 400, runtime: 404 },
  'session-cannot-be-locked': { administration: 400, runtime: 409 },
  'message-not-found': { administration: 404, runtime: 404 },
  'message-size-exceeded': { administration: 403, runtime: 403 },
  'quota-exceeded': { administration: 403, runtime: 403, subCode: 40300 },
  'not-allowed': { administration: 400, runtime: 400, subCode: 40000 },
  'not-implemented': { administration: 501, runtime: 501 },
  timeout: { administration: 408, runtime: 408 },
  // Nothing over HTTP takes part in a transaction.
  'transaction-unknown': { administration: 400, runtime: 400 },
  'transaction-timeout': { administration: 400, runtime: 400 },
  'transaction-rolled-back': { administration: 400, runtime: 400 },
  argument: { administration: 400, runtime: 400, subCode: 40000 },
  'argument-out-of-range': { administration: 400, runtime: 400, subCode: 40000 },
  internal: { administration: 500, runtime: 500 },
};

/** Who asked, for the words of an answer. */
export type Asked = {
  readonly host: string;
  readonly nextGuid: () => string;
  /** What about, once that is known. */
  readonly entityPath?: string | undefined;
  /** True for a topic, which its path alone does not show. */
  readonly isTopic?: boolean;
};

type HeaderInit = Readonly<Record<string, string>>;
type ErrorParts = { readonly statusText?: string; readonly headers?: HeaderInit };

export function administrationError(error: ServiceBusError, asked: Asked): Response {
  const { administration, subCode } = STATUSES[error.reason];
  const words = wordError(error, trackingOf(asked));
  return errorBody(
    administration,
    subCode === undefined || isInTopic(error) ? words : `SubCode=${subCode}. ${words}`,
  );
}

/** A subscription or rule that is there already is told of in plain words, unlike a queue or topic. */
function isInTopic({ reason, entityPath = '' }: ServiceBusError): boolean {
  return reason === 'entity-already-exists' && /\/subscriptions\//i.test(entityPath);
}

/** `entityPath` is what was asked for. */
export function runtimeError(error: ServiceBusError, asked: Asked, entityPath: string): Response {
  return errorBody(STATUSES[error.reason].runtime, wordError(error, trackingOf(asked), entityPath));
}

/** A mistake in the request itself. The text says what was wrong, the value seen, and what to do. */
export function requestError(
  status: number,
  text: string,
  asked: Asked,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return errorBody(status, trackedText(text, trackingOf(asked), asked.entityPath), { headers });
}

/** An error whose sentence is the reason phrase of the status line as well. `sentence` in ASCII, as that line must be. */
export function errorInStatusLine(
  status: number,
  sentence: string,
  asked: Asked,
  headers: HeaderInit,
): Response {
  const detail = trackedText(sentence, trackingOf(asked), asked.entityPath);
  return errorBody(status, detail, { statusText: sentence, headers });
}

/** Every client reads these two names. */
function errorBody(
  status: number,
  detail: string,
  { statusText = '', headers = {} }: ErrorParts = {},
): Response {
  const body = `<Error><Code>${status}</Code><Detail>${escapeText(detail)}</Detail></Error>`;
  return new Response(body, {
    ...{ status, statusText },
    headers: { 'content-type': 'application/xml; charset=utf-8', ...headers },
  });
}

function trackingOf({ host, nextGuid, isTopic }: Asked): Tracking {
  return { host, isTopic, trackingId: nextGuid(), timestamp: new Date().toISOString().slice(0, -5) };
}
