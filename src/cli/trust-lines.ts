// How each language is told to trust the emulator's certificate.

import type { TrustFiles } from './trust-files.js';

export type TrustLine = { readonly name: string; readonly id: string; readonly line: string };

type Ours = Extract<TrustFiles, { kind: 'ours' }>;

const STORE = 'jitney.p12';

/** Lines of a shell, or variables for one. What replaces all that a program trusts is given the bundle. */
export function trustLines({ authority, bundle }: Ours): readonly TrustLine[] {
  const file = shellWord(authority);
  const all = shellWord(bundle);
  const keytool = `keytool -importcert -noprompt -alias jitney -file ${file} -keystore ${STORE} -storetype PKCS12 -storepass changeit`;
  return [
    { name: 'Node', id: 'node', line: `export NODE_EXTRA_CA_CERTS=${file}` },
    // AMQP of the SDK trusts what certifi has, and no variable.
    {
      name: 'Python',
      id: 'python',
      line: `ServiceBusClient(..., connection_verify=${pythonText(authority)})`,
    },
    { name: '', id: 'pythonHttp', line: `export SSL_CERT_FILE=${all} REQUESTS_CA_BUNDLE=${all}` },
    { name: 'Go, Linux', id: 'go', line: `export SSL_CERT_FILE=${all}` },
    { name: '.NET, Linux', id: 'dotnet', line: `export SSL_CERT_FILE=${all}` },
    { name: 'Java', id: 'java', line: keytool },
    {
      name: '',
      id: 'javaRun',
      line: `java -Djavax.net.ssl.trustStore=${STORE} -Djavax.net.ssl.trustStorePassword=changeit ...`,
    },
    { name: 'curl', id: 'curl', line: `curl --cacert ${file} ...` },
    { name: 'Windows', id: 'windows', line: `certutil -user -addstore Root ${file}` },
    {
      name: 'macOS',
      id: 'macos',
      line: `security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${file}`,
    },
  ];
}

function pythonText(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
