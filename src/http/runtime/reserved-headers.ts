// Reserved HTTP headers. Every other header of a send or a receive is a user property of the message.

/** Headers that clients, proxies and tracing add to requests, and the headers of this API. */
const RESERVED_IN_REQUESTS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'authorization', 'brokerproperties'],
  ...['cache-control', 'connection', 'content-encoding', 'content-language', 'content-length'],
  ...['content-location', 'content-md5', 'content-type', 'cookie', 'date', 'expect', 'forwarded', 'host'],
  ...['http2-settings', 'if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since'],
  ...['keep-alive', 'origin', 'pragma', 'proxy-authorization', 'proxy-connection', 'range', 'referer', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'upgrade-insecure-requests', 'user-agent', 'via'],
  ...['dnt', 'x-real-ip', 'x-requested-with', 'postman-token'],
  ...['traceparent', 'tracestate', 'baggage', 'request-id', 'correlation-context'],
  ...['servicebusauthorization', 'servicebussupplementaryauthorization'],
  'servicebusdlqsupplementaryauthorization',
]);
/** Prefixes of reserved headers. `Priority` is not reserved: it is a property in Azure's own example. */
const RESERVED_PREFIXES: readonly string[] = ['x-ms-', 'x-forwarded-', 'sec-', 'proxy-', 'access-control-'];

/** Headers that a client would misread in an answer. */
const RESERVED_IN_ANSWERS: ReadonlySet<string> = new Set([
  ...[
    'brokerproperties',
    'connection',
    'content-encoding',
    'content-length',
    'content-range',
    'content-type',
  ],
  ...['date', 'keep-alive', 'location', 'proxy-authenticate', 'server', 'set-cookie', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'www-authenticate'],
]);
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** Whether a request header, in lower case, is a user property. */
export function isUserProperty(name: string): boolean {
  return !RESERVED_IN_REQUESTS.has(name) && !RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** Whether a user property can be a header. Names with spaces or letters beyond ASCII can only be received over AMQP. */
export function canBeHeader(name: string): boolean {
  return TOKEN.test(name) && !RESERVED_IN_ANSWERS.has(name.toLowerCase());
}
