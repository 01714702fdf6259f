// Makes this process trust the certificate of an emulator in it.

import { JitneyError } from './jitney-error.js';

/** Node has these from 22.19 and 24.5 on. */
type DefaultAuthorities = {
  readonly getCACertificates?: (type: 'default') => string[];
  readonly setDefaultCACertificates?: (certificates: readonly string[]) => void;
};

/** Throws a JitneyError with what to do on a Node that cannot. `path` is the file of the authority, if it has one. */
export async function trustAuthority(authority: string | undefined, path: string | undefined): Promise<void> {
  if (authority === undefined) return;
  const { default: tls } = await import('node:tls');
  const { getCACertificates, setDefaultCACertificates } = tls as DefaultAuthorities;
  if (getCACertificates !== undefined && setDefaultCACertificates !== undefined) {
    setDefaultCACertificates([...new Set([...getCACertificates('default'), authority])]);
    return;
  }
  const remedy =
    path === undefined
      ? "Start the emulator with certificateDirectory: '.certificates', and the tests with NODE_EXTRA_CA_CERTS=.certificates/ca.pem"
      : `Start the tests with NODE_EXTRA_CA_CERTS=${path}`;
  throw new JitneyError(
    'no-trust',
    `Node ${process.version} cannot trust a certificate while it runs; versions from 22.19 and 24.5 on can. ${remedy}`,
  );
}
