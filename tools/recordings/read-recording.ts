// Reads recordings of the real service, as the SDKs keep them for their tests: Python's YAML, and two kinds of JSON, the older Java's and
// the test proxy's, which .NET and the newer Java share.

import { extname } from 'node:path';
import { parse as parseYaml } from 'yaml';

/** A request, and what the service answered. */
export type Exchange = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Undefined: there was none, or the format does not keep it. */
  readonly body: Buffer | undefined;
  readonly answer: Answer;
};

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: string };

type Fields = Readonly<Record<string, unknown>>;

/** The exchanges of a file in order; undefined for a file that holds none. */
export function readRecording(path: string, text: string): readonly Exchange[] | undefined {
  const given: Fields = extname(path) === '.json' ? JSON.parse(text) : parseYaml(text);
  if (Array.isArray(given.interactions)) return given.interactions.map(readInteraction);
  if (Array.isArray(given.networkCallRecords)) return given.networkCallRecords.map(readNetworkCall);
  if (Array.isArray(given.Entries)) return given.Entries.map(readEntry);
  return undefined;
}

/** Python: `interactions` of vcr. */
function readInteraction({ request, response }: { request: Fields; response: Fields }): Exchange {
  return {
    method: String(request.method),
    url: new URL(String(request.uri)),
    headers: headersOf(request.headers),
    body: bytesOf(request.body),
    answer: {
      status: Number((response.status as Fields).code),
      headers: headersOf(response.headers),
      body: String(bytesOf((response.body as Fields).string) ?? ''),
    },
  };
}

/** Java up to 2021: `networkCallRecords`, without the bodies of requests. */
function readNetworkCall({ Method, Uri, Headers: headers, Response }: Fields): Exchange {
  const { StatusCode, Body, ...others } = Response as Fields;
  return {
    method: String(Method),
    url: new URL(String(Uri)),
    headers: headersOf(headers),
    body: undefined,
    answer: { status: Number(StatusCode), headers: headersOf(others), body: String(Body ?? '') },
  };
}

/** The test proxy: `Entries`. */
function readEntry(entry: Fields): Exchange {
  return {
    method: String(entry.RequestMethod),
    url: new URL(String(entry.RequestUri)),
    headers: headersOf(entry.RequestHeaders),
    body: proxyBody(entry.RequestBody),
    answer: {
      status: Number(entry.StatusCode),
      headers: headersOf(entry.ResponseHeaders),
      body: String(proxyBody(entry.ResponseBody) ?? ''),
    },
  };
}

/** Lines, a text, or Base64 where the proxy did not take the content type for text. */
function proxyBody(given: unknown): Buffer | undefined {
  if (typeof given !== 'string' || given === '' || given.startsWith('<')) return bytesOf(given);
  return Buffer.from(given, 'base64');
}

function bytesOf(given: unknown): Buffer | undefined {
  if (given === undefined || given === null) return undefined;
  if (Array.isArray(given)) return Buffer.from(given.join(''));
  return given instanceof Uint8Array ? Buffer.from(given) : Buffer.from(String(given));
}

/** A header with several values has them in a list. Python's recorder wrote UTF-8 where HTTP has Latin-1. */
function headersOf(given: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries((given ?? {}) as Fields)) {
    const text = Array.isArray(value) ? value.join(' ') : String(value);
    headers.set(name, Buffer.from(text).toString('latin1'));
  }
  return headers;
}
