// The files by which programs come to trust an emulator: its authority's certificate, made if need be, and a bundle with all others.

import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { certificateOptions } from '../config/certificate-options.js';
import type { Settings } from '../config/settings.js';
import { openCertificates } from '../security/certificates.js';
import { emulatorOptions } from './emulator-options.js';
import type { Write } from './log.js';

export type TrustFiles =
  /** For programs that trust it besides the authorities they know, and for those that would then know it alone. */
  | { readonly kind: 'ours'; readonly authority: string; readonly bundle: string }
  /** The user has brought a certificate, and knows who trusts it. */
  | { readonly kind: 'given'; readonly cert: string }
  | { readonly kind: 'no-directory' }
  | { readonly kind: 'no-tls' };

const BUNDLE_FILE = 'ca-bundle.pem';

/** Throws a CertificateError. */
export async function openTrustFiles(settings: Settings, tell: Write): Promise<TrustFiles> {
  if (settings.tls === 'off') return { kind: 'no-tls' };
  const chosen = certificateOptions(emulatorOptions(settings));
  const certificates = await openCertificates({ ...chosen, tell });
  if (chosen.given !== undefined) return { kind: 'given', cert: chosen.given.cert };
  const { authorityPath } = certificates;
  if (authorityPath === undefined) return { kind: 'no-directory' };
  const text = (await certificates.authority()) ?? '';
  const bundle = join(dirname(authorityPath), BUNDLE_FILE);
  await writeIfOther(bundle, [text.trimEnd(), ...rootCertificates, ''].join('\n'));
  return { kind: 'ours', authority: authorityPath, bundle };
}

/** By way of another name: a program that starts meanwhile reads the whole of one or of the other. */
async function writeIfOther(path: string, text: string): Promise<void> {
  const there = await readFile(path, 'utf8').catch(() => undefined);
  if (there === text) return;
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  await writeFile(draft, text);
  await rename(draft, path);
}
