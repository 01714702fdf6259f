// The runtimes whose handshakes are tried: how each is found, how its client is run, and what a failed one is told.

import { fileURLToPath } from 'node:url';

export type Asked = {
  /** A file to trust, or `none`. */
  readonly trusted: string;
  readonly port: number;
  /** By which the client looks for us in the certificate. */
  readonly name: string;
};

export type TlsRuntime = {
  readonly name: string;
  readonly command: string;
  /** Words with which it says what it is, and no more. */
  readonly version: readonly string[];
  readonly words: (asked: Asked) => readonly string[];
  /** Begins what the client prints when the handshake is done. */
  readonly success: string;
  /** In the hint to who does not trust the certificate. */
  readonly hint: string;
  /** Whether it looks for a name with the port behind it, or could. */
  readonly takesPort: boolean;
};

export const RUNTIMES: readonly TlsRuntime[] = [
  {
    name: 'Node',
    command: process.execPath,
    version: ['--version'],
    words: (asked) => client('client.mjs', asked),
    success: 'ok',
    hint: 'It looks like Node:',
    takesPort: true,
  },
  {
    name: 'OpenSSL',
    command: 'openssl',
    version: ['version'],
    words: opensslWords,
    success: 'CONNECTION ESTABLISHED',
    hint: "'jitney certs' prints for each language",
    takesPort: true,
  },
  {
    name: 'Go',
    command: 'go',
    version: ['version'],
    words: (asked) => ['run', ...client('client.go', asked)],
    success: 'ok',
    hint: 'It looks like Go:',
    takesPort: true,
  },
  {
    name: 'Python',
    command: 'python3',
    version: ['--version'],
    words: (asked) => client('client.py', asked),
    success: 'ok',
    hint: 'It looks like Python:',
    takesPort: true,
  },
  {
    name: 'Java',
    command: 'java',
    version: ['-version'],
    words: (asked) => client('Client.java', asked),
    success: 'ok',
    hint: 'It looks like Java:',
    // It dials the name that it looks for.
    takesPort: false,
  },
];

function client(file: string, { trusted, port, name }: Asked): readonly string[] {
  return [fileURLToPath(new URL(file, import.meta.url)), trusted, String(port), name];
}

function opensslWords({ trusted, port, name }: Asked): readonly string[] {
  const trust = trusted === 'none' ? [] : ['-CAfile', trusted];
  const isAddress = /^[\d.]+$/.test(name);
  const identity = isAddress
    ? ['-verify_ip', name, '-noservername']
    : ['-verify_hostname', name, '-servername', name];
  return [
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    '-brief',
    '-verify_return_error',
    ...trust,
    ...identity,
  ];
}
