// The files with which programs trust an emulator: the certificate of its authority, made if needed, and a bundle of it with all public ones.

import { X509Certificate } from 'node:crypto';
import { dirname, join, sep } from 'node:path';
import { rootCertificates } from 'node:tls';
import { openUserDirectory } from '../../config/certificate-directory.js';
import { certificateOptions } from '../../config/part-options.js';
import type { Settings } from '../../config/settings.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import { makeDataDirectory } from '../../journal/data-directory.js';
import { readCertificate } from '../../security/certificate-authority.js';
import {
  AUTHORITY_FILE,
  createFile,
  makeFolder,
  readIfPresent,
  replaceFile,
} from '../../security/certificate-store.js';
import { openCertificates } from '../../security/certificates.js';
import type { AskRunning } from '../control/running-authority.js';
import type { Write } from '../output/output.js';
import { emulatorOptions } from '../start/emulator-start.js';

export type TrustFiles =
  /** `authority` is for programs that add it to their trusted authorities, `bundle` for programs that replace these. */
  | { readonly kind: 'ours'; readonly authority: string; readonly bundle: string }
  /** The user's own certificate. */
  | { readonly kind: 'given'; readonly cert: string }
  | { readonly kind: 'no-directory'; readonly why: string }
  | { readonly kind: 'no-tls' };

const BUNDLE_FILE = 'ca-bundle.pem';
const FEDERATED_TOKEN_FILE = 'federated-token';
/** So many digits of a fingerprint go into a file name. */
const FINGERPRINT_DIGITS = 16;

/** Opens the files of the running emulator, or of the one that a start would run. Throws a JitneyError. */
export async function openTrustFiles(
  settings: Settings,
  { askRunning, warn }: { readonly askRunning: AskRunning; readonly warn: Write },
): Promise<TrustFiles> {
  if (settings.tls === 'off') return { kind: 'no-tls' };
  const chosen = certificateOptions(emulatorOptions(settings));
  const certificates = await openCertificates({ ...chosen, warn });
  if (chosen.given !== undefined) return { kind: 'given', cert: chosen.given.cert };
  const { authorityPath } = certificates;
  const { dataDirectory } = settings;
  // If there was no start yet, this makes the data directory.
  if (dataDirectory !== undefined && authorityPath?.startsWith(dataDirectory + sep)) {
    await makeDataDirectory(dataDirectory);
  }
  const running = await askRunning(settings);
  switch (running.kind) {
    case 'authority':
      return storeAuthority(running.certificate, settings, authorityPath);
    case 'none':
      if (authorityPath === undefined) return noDirectory(settings);
      warn(
        `This is the certificate that a start with these options would use, because no emulator answers: ${running.why}`,
      );
      return withBundle(authorityPath, (await certificates.authority()) ?? '', settings);
    default:
      return running satisfies never;
  }
}

/** Writes the file whose text a workload sends in place of a secret; any text will do. Throws a JitneyError. */
export async function writeFederatedToken(settings: Settings, trust: TrustFiles): Promise<string> {
  const directory = trust.kind === 'ours' ? dirname(trust.bundle) : settings.certificateDirectory;
  if (directory === undefined) {
    const text =
      '--credential workload keeps a token in a file: name a directory with --cert-directory <dir>';
    throw new JitneyError('bad-option', text);
  }
  await makeFolder(directory);
  const path = join(directory, FEDERATED_TOKEN_FILE);
  await createFile({ path, text: 'jitney', isSecret: false });
  return path;
}

function noDirectory({ certObstacle }: Settings): TrustFiles {
  const why = certObstacle === undefined ? '' : `${certObstacle}, and `;
  return { kind: 'no-directory', why: `${why}there is no directory to keep a certificate in` };
}

/** Finds the certificate on disk. If it is not there, writes it under its fingerprint to the user's directory, or else to the configured one. */
async function storeAuthority(
  certificate: X509Certificate,
  settings: Settings,
  authorityPath: string | undefined,
): Promise<TrustFiles> {
  const text = certificate.toString();
  const own = authorityPath && dirname(authorityPath);
  const directory = openUserDirectory(settings).path ?? own;
  if (directory === undefined) return noDirectory(settings);
  for (const path of new Set([own, directory].map((one) => one && join(one, AUTHORITY_FILE)))) {
    const stored = path && readCertificate((await readIfPresent(path)) ?? '');
    if (stored && stored.fingerprint256 === certificate.fingerprint256)
      return withBundle(path, text, settings);
  }
  await makeFolder(directory);
  const path = join(directory, `ca-${shortName(certificate)}.pem`);
  await writeIfDifferent(path, text);
  return { kind: 'ours', authority: path, bundle: await writeBundle(directory, text, certificate) };
}

/** Writes the bundle beside the authority or, if that directory is read-only, under a fingerprint to the user's directory. */
async function withBundle(authority: string, text: string, settings: Settings): Promise<TrustFiles> {
  const directory = dirname(authority);
  try {
    return { kind: 'ours', authority, bundle: await writeBundle(directory, text) };
  } catch (error) {
    const { path } = openUserDirectory(settings);
    const isUnwritable = isOfKind(error, 'certificate-unwritable');
    if (!isUnwritable || path === undefined || path === directory) throw error;
    return { kind: 'ours', authority, bundle: await writeBundle(path, text, new X509Certificate(text)) };
  }
}

/** Throws a JitneyError. */
async function writeBundle(directory: string, text: string, named?: X509Certificate): Promise<string> {
  const name = named === undefined ? BUNDLE_FILE : `ca-bundle-${shortName(named)}.pem`;
  const bundle = join(directory, name);
  const found = await readIfPresent(bundle);
  if (found !== undefined && !isOwnBundle(found)) {
    const text = `${bundle} is there already, and Jitney has not written it. Move it away`;
    throw new JitneyError('certificate-unwritable', text);
  }
  await writeIfDifferent(bundle, [text.trimEnd(), ...rootCertificates, ''].join('\n'));
  return bundle;
}

/** A bundle of Jitney begins with an authority of Jitney. */
function isOwnBundle(text: string): boolean {
  return readCertificate(text)?.subject.split('\n').includes('O=Jitney') === true;
}

function shortName({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').slice(0, FINGERPRINT_DIGITS).toLowerCase();
}

/** Throws a JitneyError. */
async function writeIfDifferent(path: string, text: string): Promise<void> {
  if ((await readIfPresent(path)) !== text) await replaceFile({ path, text, isSecret: false });
}
