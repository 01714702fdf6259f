// The files by which programs come to trust an emulator: its authority's certificate, made if need be, and a bundle with all others.

import type { X509Certificate } from 'node:crypto';
import { dirname, join, sep } from 'node:path';
import { rootCertificates } from 'node:tls';
import { openUserDirectory } from '../config/certificate-directory.js';
import { certificateOptions } from '../config/certificate-options.js';
import type { Settings } from '../config/settings.js';
import { makeDataDirectory } from '../journal/data-directory.js';
import { readCertificate } from '../security/certificate-authority.js';
import { makeFolder, readIfThere, replace } from '../security/certificate-files.js';
import { AUTHORITY_FILE } from '../security/certificate-store.js';
import { openCertificates } from '../security/certificates.js';
import { emulatorOptions } from './emulator-options.js';
import type { Write } from './log.js';
import type { AskRunning } from './running-authority.js';

export type TrustFiles =
  /** For programs that trust it besides the authorities they know, and for those that would then know it alone. */
  | { readonly kind: 'ours'; readonly authority: string; readonly bundle: string }
  /** The user has brought a certificate, and knows who trusts it. */
  | { readonly kind: 'given'; readonly cert: string }
  | { readonly kind: 'no-directory' }
  | { readonly kind: 'no-tls' };

const BUNDLE_FILE = 'ca-bundle.pem';
/** Enough of a fingerprint for a name of a file. */
const FINGERPRINT_DIGITS = 16;

/** Opens the files of the emulator that runs, or else of one that a start would make. Throws a CertificateError or a JournalError. */
export async function openTrustFiles(
  settings: Settings,
  { askRunning, tell }: { readonly askRunning: AskRunning; readonly tell: Write },
): Promise<TrustFiles> {
  if (settings.tls === 'off') return { kind: 'no-tls' };
  const chosen = certificateOptions(emulatorOptions(settings));
  const certificates = await openCertificates({ ...chosen, tell });
  if (chosen.given !== undefined) return { kind: 'given', cert: chosen.given.cert };
  const { authorityPath } = certificates;
  if (authorityPath === undefined) return { kind: 'no-directory' };
  const { dataDirectory } = settings;
  // Before the first start, this is what makes the data directory.
  if (dataDirectory !== undefined && authorityPath.startsWith(dataDirectory + sep)) {
    await makeDataDirectory(dataDirectory);
  }
  const running = await askRunning(settings);
  switch (running.kind) {
    case 'authority':
      return keep(running.certificate, settings, authorityPath);
    case 'none':
      tell(
        `The certificate is that of a start with these options, since no emulator tells its own: ${running.why}`,
      );
      return withBundle(authorityPath, (await certificates.authority()) ?? '');
    default:
      return running satisfies never;
  }
}

/** Where it lies already, if it does; else under its fingerprint in the user's own folder, or where there is none, in ours. */
async function keep(
  certificate: X509Certificate,
  settings: Settings,
  authorityPath: string,
): Promise<TrustFiles> {
  const { path: directory = dirname(authorityPath) } = await openUserDirectory(settings);
  const text = certificate.toString();
  for (const path of new Set([authorityPath, join(directory, AUTHORITY_FILE)])) {
    const there = readCertificate((await readIfThere(path)) ?? '');
    if (there?.fingerprint256 === certificate.fingerprint256) return withBundle(path, text);
  }
  const name = certificate.fingerprint256.replaceAll(':', '').slice(0, FINGERPRINT_DIGITS).toLowerCase();
  await makeFolder(directory);
  const path = join(directory, `ca-${name}.pem`);
  await writeIfOther(path, text);
  return withBundle(path, text, `ca-bundle-${name}.pem`);
}

async function withBundle(authority: string, text: string, name = BUNDLE_FILE): Promise<TrustFiles> {
  const bundle = join(dirname(authority), name);
  await writeIfOther(bundle, [text.trimEnd(), ...rootCertificates, ''].join('\n'));
  return { kind: 'ours', authority, bundle };
}

/** Throws a CertificateError. */
async function writeIfOther(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) !== text) await replace({ path, text, isSecret: false });
}
