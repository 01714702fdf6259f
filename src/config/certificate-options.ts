// What TLS is told of a user's options: whose certificate is shown, for which names, and where it is kept.

import { join } from 'node:path';
import { CERTIFICATES_FOLDER } from './certificate-directory.js';
import type { EmulatorOptions } from './options.js';

type OptionsOfTls = Pick<
  EmulatorOptions,
  'host' | 'cert' | 'key' | 'certHosts' | 'certificateDirectory' | 'dataDirectory'
>;

/** As `openCertificates` takes them; without a directory they are kept in memory. */
export type ChosenCertificates = {
  readonly directory: string | undefined;
  readonly hosts: readonly string[];
  readonly given: { readonly cert: string; readonly key: string } | undefined;
};

export function certificateOptions(options: OptionsOfTls): ChosenCertificates {
  const { host, cert, key, certHosts = [], dataDirectory } = options;
  return {
    directory: options.certificateDirectory ?? (dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER)),
    // Who listens on an address of its own is dialled by it.
    hosts: [...(host === undefined ? [] : [host]), ...certHosts],
    given: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}
