// HTTP errors: the only table from the broker's reasons to statuses, and the body of an error answer.

import { escapeText } from '../atom/xml/write-xml.js';
import type { ErrorReason, ServiceBusError } from '../broker/contract/service-bus-error.js';
import { type Tracking, trackedText, wordError } from '../wording/error-wording.js';

type Statuses = {
  readonly administration: number;
  /** The status for sends and receives, which Azure documents separately. */
  readonly runtime: number;
  /** Precedes the text of an administration error, so that clients can tell errors of one status apart. */
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
  'property-size-exceeded': { administration: 400, runtime: 500 },
  'quota-exceeded': { administration: 403, runtime: 403, subCode: 40300 },
  'not-allowed': { administration: 400, runtime: 400, subCode: 40000 },
  'not-implemented': { administration: 501, runtime: 501 },
  timeout: { administration: 408, runtime: 408 },
  'server-busy': { administration: 503, runtime: 503 },
  // HTTP has no transactions.
  'transaction-unknown': { administration: 400, runtime: 400 },
  'transaction-timeout': { administration: 400, runtime: 400 },
  'transaction-rolled-back': { administration: 400, runtime: 400 },
  unauthorized: { administration: 401, runtime: 401 },
  'invalid-field': { administration: 400, runtime: 400 },
  argument: { administration: 400, runtime: 400, subCode: 40000 },
  'argument-out-of-range': { administration: 400, runtime: 400, subCode: 40000 },
  internal: { administration: 500, runtime: 500 },
};

export function statusOf(reason: ErrorReason): number {
  return STATUSES[reason].administration;
}

export type RequestErrorContext = {
  readonly host: string;
  readonly nextGuid: () => string;
  /** The entity of the request, once it is known. */
  readonly entityPath?: string | undefined;
  /** True for a topic; the path alone does not show it. */
  readonly isTopic?: boolean;
};

/** A mistake in a request that is found before the broker gets a command, with its status. */
export class RequestProblem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** The message is a whole sentence: what was wrong, the value seen, what to do. */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'RequestProblem';
    this.status = status;
    this.headers = headers;
  }
}

type HeaderInit = Readonly<Record<string, string>>;
type ErrorParts = { readonly statusText?: string; readonly headers?: HeaderInit };

/** The sub-code of a reason; undefined where the service gives none. */
export function subCodeOf(reason: ErrorReason): number | undefined {
  return STATUSES[reason].subCode;
}

export function administrationError(
  error: ServiceBusError,
  context: RequestErrorContext,
  subCode: number | undefined,
): Response {
  const words = wordError(error, trackingOf(context));
  return errorBody(statusOf(error.reason), subCode === undefined ? words : `SubCode=${subCode}. ${words}`);
}

export function runtimeError(
  error: ServiceBusError,
  context: RequestErrorContext,
  entityPath: string,
): Response {
  return errorBody(STATUSES[error.reason].runtime, wordError(error, trackingOf(context), entityPath));
}

/** An error in the request itself. The text says what was wrong, the value seen, and what to do. */
export function requestError(
  status: number,
  text: string,
  context: RequestErrorContext,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return errorBody(status, trackedText(text, trackingOf(context), context.entityPath), { headers });
}

/** An error whose sentence is also the reason phrase of the status line, so it must be ASCII. */
export function errorInStatusLine(
  status: number,
  sentence: string,
  context: RequestErrorContext,
  headers: HeaderInit,
): Response {
  const detail = trackedText(sentence, trackingOf(context), context.entityPath);
  return errorBody(status, detail, { statusText: sentence, headers });
}

/** The body of an error, with the element names that every client reads. */
function errorBody(
  status: number,
  detail: string,
  { statusText = '', headers = {} }: ErrorParts = {},
): Response {
  const body = `<Error><Code>${status}</Code><Detail>${escapeText(detail)}</Detail></Error>`;
  return new Response(body, {
    status,
    statusText,
    headers: { 'content-type': 'application/xml; charset=utf-8', ...headers },
  });
}

function trackingOf({ host, nextGuid, isTopic }: RequestErrorContext): Tracking {
  return { host, isTopic, trackingId: nextGuid(), timestamp: new Date().toISOString().slice(0, -5) };
}
