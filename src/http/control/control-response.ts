// The JSON responses of the control interface, including its errors.

/** The codes for mistakes that are found before the broker gets a command. */
const CODES: Readonly<Record<number, string>> = {
  400: 'bad-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  409: 'conflict',
  415: 'unsupported-media-type',
  429: 'too-many-requests',
};

/** An answer must not be cached, and a browser must not show a message in it as a page. */
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

type ErrorParts = {
  readonly code?: string;
  /** The remedy, if the sentence does not name one. */
  readonly hint?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The text is a whole sentence: what was wrong, the value seen, what to do. */
export function controlError(
  status: number,
  message: string,
  { code = CODES[status] ?? 'error', hint, headers = {} }: ErrorParts = {},
): Response {
  return controlJson(status, { error: { code, message, hint } }, headers);
}

export function controlJson(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
}
