// `npm run measure -- handshakes`: real handshakes of every runtime of the SDKs that is on this machine, with the built product.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Jitney } from '../support/jitney.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { fetchAuthority } from '../support/trust.js';
import { RUNTIMES, type TlsRuntime } from './runtimes.js';

/** Go compiles its client first. */
const LIMIT_MS = 120_000;
/** A name with a port, given so that it stands in the certificate that every client is shown. */
const GIVEN_NAME = 'bus.localhost:5671';

process.exitCode = await main();

async function main(): Promise<number> {
  await using directory = await temporaryDirectory();
  const extraArguments = ['--cert-directory', directory.path, '--cert-host', GIVEN_NAME];
  await using jitney = await Jitney.start({ extraArguments });
  await fetchAuthority(jitney);
  const problems: string[] = [];
  for (const runtime of RUNTIMES) {
    if (!(await isThere(runtime))) {
      console.log(`${runtime.name}: left out, '${runtime.command}' is not there`);
      continue;
    }
    const found = await problemsOf(runtime, jitney, join(directory.path, 'ca.pem'));
    console.log(`${runtime.name}: ${found.length === 0 ? 'good' : found.join('\n  ')}`);
    problems.push(...found);
  }
  return problems.length === 0 ? 0 : 1;
}

async function isThere({ command, version }: TlsRuntime): Promise<boolean> {
  return (await printed(command, version)) !== undefined;
}

async function problemsOf(runtime: TlsRuntime, jitney: Jitney, authority: string): Promise<string[]> {
  const { port } = jitney.address;
  const names = ['localhost', '127.0.0.1', ...(runtime.takesPort ? [`localhost:${port}`, GIVEN_NAME] : [])];
  const problems: string[] = [];
  for (const name of names) {
    const text = await printed(runtime.command, runtime.words({ trusted: authority, port, name }));
    if (!text?.startsWith(runtime.success)) problems.push(`refused the certificate as ${name}: ${text}`);
  }
  const text = await printed(runtime.command, runtime.words({ trusted: 'none', port, name: 'localhost' }));
  if (text?.startsWith(runtime.success)) problems.push('trusted a certificate that nobody has told it to');
  if (!jitney.process.stderr.includes(runtime.hint)) {
    problems.push(`was not told "${runtime.hint}", but: ${jitney.process.stderr.trim()}`);
  }
  return problems;
}

/** The output of a program, on either stream; undefined: it cannot be run. */
function printed(command: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(command, words, { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      const isMissing = error !== null && error.code === 'ENOENT';
      resolve(isMissing ? undefined : `${stdout}${stderr}`.trim());
    });
    // OpenSSL's client ends with its input.
    child.stdin?.end();
  });
}
