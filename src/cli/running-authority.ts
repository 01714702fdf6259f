// Asks the emulator that runs, on this machine alone, which certificate authority its clients must trust.

import { X509Certificate } from 'node:crypto';
import { get } from 'node:http';
import type { Settings } from '../config/settings.js';

export type RunningAuthority =
  | { readonly kind: 'authority'; readonly certificate: X509Certificate }
  /** Nobody can be asked, or whoever answers is no emulator with TLS. */
  | { readonly kind: 'none'; readonly why: string };

export type AskRunning = (settings: Pick<Settings, 'host' | 'port'>) => Promise<RunningAuthority>;

const TIMEOUT_MS = 2000;
/** Longer than any certificate. */
const MOST_CHARACTERS = 65_536;
const MOST_QUOTED = 200;
const LOOPBACK = /^127(\.\d{1,3}){3}$/;

export const askRunning: AskRunning = async ({ host, port }) => {
  const address = loopbackOf(host);
  // A certificate that came over a network in clear cannot be trusted.
  if (address === undefined) return none(`an emulator that listens on ${host} alone is not asked`);
  if (port === 0) return none('a free port is known by nobody but the running emulator');
  const url = `http://${address}:${port}/ca.pem`;
  try {
    const { status, text } = await read(url);
    const certificate = status === 200 ? authorityIn(text) : undefined;
    if (certificate !== undefined) return { kind: 'authority', certificate };
    return none(`${url} answers ${status}: ${firstLine(text)}`);
  } catch {
    return none(`nothing answers at ${url}`);
  }
};

function none(why: string): RunningAuthority {
  return { kind: 'none', why };
}

/** An emulator that serves a certificate of its user's own says so there. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, MOST_QUOTED);
}

/** Where an emulator that listens there is reached without a network. */
function loopbackOf(host: string): string | undefined {
  const name = host.toLowerCase();
  if (name === '::1') return '[::1]';
  if (LOOPBACK.test(name)) return name;
  return ['localhost', '0.0.0.0', '::'].includes(name) ? '127.0.0.1' : undefined;
}

function read(url: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > MOST_CHARACTERS) request.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

function authorityIn(text: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(text);
    return certificate.ca ? certificate : undefined;
  } catch {
    return undefined;
  }
}
