// Answers the few files of the page for browsers, which the build has made. Loaded when a browser first opens it.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};
/** The page may run only its own scripts, use only its own styles, and connect to this server only. */
const POLICY = [
  ...[
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

type PageFile = { readonly bytes: Buffer; readonly type: string; readonly tag: string };

export class PageFiles {
  readonly #directory: string;
  readonly #files = new Map<string, Promise<PageFile>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Rejects if the file cannot be read. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = nameOf(request.url ?? '/');
    const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    request.resume();
    if (type === undefined) {
      response
        .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        .end('The page has no such file.\n');
      return;
    }
    const file = await this.#file(name, type);
    const headers = {
      'content-type': type,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
      etag: file.tag,
    };
    if (request.headers['if-none-match'] === file.tag) {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, { ...headers, 'content-length': file.bytes.length }).end(file.bytes);
  }

  #file(name: string, type: string): Promise<PageFile> {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const file = this.#read(name, type);
    this.#files.set(name, file);
    // The next request tries again: a build may have been under way.
    file.catch(() => this.#files.delete(name));
    return file;
  }

  async #read(name: string, type: string): Promise<PageFile> {
    const bytes = await readFile(join(this.#directory, name));
    return { bytes, type, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
  }
}

function nameOf(url: string): string {
  const [path = '/'] = url.split('?', 1);
  return path === '/' ? 'index.html' : path.slice(path.lastIndexOf('/') + 1);
}
