// Records in the stream of activities why a request was refused, and names the program that sent it.

import type { RequestOrigin } from '../engine/requester.js';
import { keptText } from '../watch/kept-text.js';
import type { HttpRequest, RoutedCall } from './http-context.js';

const MAX_PROGRAM_LENGTH = 120;

/** `text`: the reason, in the words of the answer. */
export function noteRefusal(
  { request, path: segments, names, context }: RoutedCall,
  status: number,
  text: string,
): void {
  const path = names.entity === '' ? segments.join('/') : names.entity;
  const { method } = request;
  context.activity?.add({ kind: 'request-refused', method, path, status, text }, requestOrigin(request));
}

/** The program that sent the request, by the first word of its User-Agent header. All browsers have the same one. */
export function requestOrigin(request: HttpRequest): RequestOrigin {
  const [name = ''] = (request.headers.get('user-agent') ?? '').trim().split(/\s/);
  const program =
    name === ''
      ? 'an HTTP client'
      : name.startsWith('Mozilla/')
        ? browserName(request)
        : keptText(name, MAX_PROGRAM_LENGTH);
  return { connectionId: undefined, linkId: undefined, program };
}

/** Browsers say of each request that changes something which site it is from. */
function browserName({ headers }: HttpRequest): string {
  const host = headers.get('host') ?? '';
  return headers.get('origin')?.replace(/^https?:\/\//, '') === host ? 'the page' : 'a browser';
}
