// Asks a running emulator, on this machine only, which certificate authority its clients must trust.

import { X509Certificate } from 'node:crypto';
import type { Settings } from '../../config/settings.js';
import { readAnswer } from './http-answer.js';

type RunningAuthority =
  | { readonly kind: 'authority'; readonly certificate: X509Certificate }
  /** No emulator can be reached, or its answer has no certificate authority. */
  | { readonly kind: 'none'; readonly why: string };

export type AskRunning = (settings: Pick<Settings, 'host' | 'port'>) => Promise<RunningAuthority>;

/** The first answer may take seconds on a busy machine, because it waits until the certificates are made. */
const TIMEOUT_MS = 10_000;
/** No certificate has so many characters. */
const MOST_CHARACTERS = 65_536;
const MOST_QUOTED = 200;
const LOOPBACK = /^127(\.\d{1,3}){3}$/;

export const askRunning: AskRunning = async ({ host, port }) => {
  const address = loopbackOf(host);
  // A certificate that came over a network without encryption cannot be trusted.
  if (address === undefined) return none(`an emulator that listens only on ${host} is not asked`);
  if (port === 0) return none('only the running emulator knows its free port');
  const url = `http://${address}:${port}/ca.pem`;
  try {
    const { status, text } = await readAnswer(url, { timeoutMs: TIMEOUT_MS, maxCharacters: MOST_CHARACTERS });
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

/** The first line of an answer, in which an emulator with its user's own certificate says so. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, MOST_QUOTED);
}

/** The loopback address of an emulator that listens on `host`; undefined if only a network reaches it. */
function loopbackOf(host: string): string | undefined {
  const name = host.toLowerCase();
  if (name === '::1') return '[::1]';
  if (LOOPBACK.test(name)) return name;
  return ['localhost', '0.0.0.0', '::'].includes(name) ? '127.0.0.1' : undefined;
}

function authorityIn(text: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(text);
    return certificate.ca ? certificate : undefined;
  } catch {
    return undefined;
  }
}
