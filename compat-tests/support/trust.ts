// What a program does to trust an emulator: it fetches the certificate of its authority, and names it.

import { type ExecFileException, execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Jitney } from './jitney.js';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT_MS = 30_000;

export async function fetchAuthority({ address }: Jitney): Promise<string> {
  return (await fetch(`http://${address.host}:${address.port}/ca.pem`)).text();
}

export type TrustingProgram = {
  /** An ES module. */
  readonly text: string;
  /** Where the certificate may be put for it. */
  readonly authorityPath: string;
  readonly environment?: Readonly<Record<string, string>>;
};

/** Runs a program that trusts the emulator as its environment says, and gives back what it printed. */
export async function runTrusting(jitney: Jitney, program: TrustingProgram): Promise<string> {
  await writeFile(program.authorityPath, await fetchAuthority(jitney));
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: program.authorityPath, ...program.environment };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '-e', program.text],
      { cwd: PROJECT, env, timeout: LIMIT_MS },
      (error: ExecFileException | null, stdout, stderr) =>
        error === null ? resolve(stdout.trim()) : reject(new Error(`${error.message}\n${stderr}`)),
    );
  });
}
