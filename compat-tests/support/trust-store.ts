// What a Java program does to trust an emulator: `keytool` makes a store of the authority's certificate, and two properties name it.

import { join } from 'node:path';
import { run } from '../package/steps.js';

export type TrustStore = { readonly path: string; readonly password: string };

/** Without Java, there is none and none is needed. */
export async function writeTrustStore(authority: string, directory: string): Promise<TrustStore> {
  const store = { path: join(directory, 'trust.p12'), password: 'changeit' };
  const words = ['-importcert', '-noprompt', '-alias', 'jitney', '-file', authority];
  await run('keytool', [...words, '-keystore', store.path, '-storepass', store.password], directory);
  return store;
}

export function trustProperties({ path, password }: TrustStore): string[] {
  return [`-Djavax.net.ssl.trustStore=${path}`, `-Djavax.net.ssl.trustStorePassword=${password}`];
}
