// Which headers are HTTP's own: every other header of a send is a property of the message, and so it is when one is received.

/** What clients, proxies and tracing put into requests by themselves, and what this API gives a meaning. */
const OF_REQUESTS: ReadonlySet<string> = new Set([
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
/** Families of such. `Priority` is none of them: it is the property in Azure's own example. */
const FAMILIES_OF_REQUESTS: readonly string[] = [
  'x-ms-',
  'x-forwarded-',
  'sec-',
  'proxy-',
  'access-control-',
];

/** What would be misread in an answer. */
const OF_ANSWERS: ReadonlySet<string> = new Set([
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

/** `name` is in lower case. */
export function isPropertyOfRequest(name: string): boolean {
  return !OF_REQUESTS.has(name) && !FAMILIES_OF_REQUESTS.some((family) => name.startsWith(family));
}

/** A name that no header can have, with a space in it or a letter beyond ASCII, can only be read over AMQP. */
export function mayNameHeader(name: string): boolean {
  return TOKEN.test(name) && !OF_ANSWERS.has(name.toLowerCase());
}
