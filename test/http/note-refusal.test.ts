// The name that a request over HTTP has in the records.

import { expect, it } from 'vitest';
import type { HttpRequest } from '../../src/http/http-context.js';
import { requestOrigin } from '../../src/http/note-refusal.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36';

it.each<[string, Readonly<Record<string, string>>]>([
  ['the page', { 'user-agent': BROWSER, host: 'localhost:5672', origin: 'http://localhost:5672' }],
  ['a browser', { 'user-agent': BROWSER, host: 'localhost:5672', origin: 'http://localhost:3000' }],
  ['a browser', { 'user-agent': BROWSER, host: 'localhost:5672' }],
  ['curl/8.5.0', { 'user-agent': 'curl/8.5.0', host: 'localhost:5672' }],
  ['an HTTP client', {}],
])('is %s', (program, headers) => {
  expect(requestOrigin({ headers: new Headers(headers) } as unknown as HttpRequest).program).toBe(program);
});
