// Compiles a Java program of this folder with Maven and runs it: what it sends to its queue it must receive.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type Tally } from '../package/steps.js';
import { trustProperties, writeTrustStore } from '../support/trust-store.js';

const REPOSITORY = fileURLToPath(
  new URL('../../node_modules/.cache/jitney-frameworks/maven', import.meta.url),
);
const MAVEN = ['-q', '-B', `-Dmaven.repo.local=${REPOSITORY}`];

/** What it trusts the emulator by, and where the emulator is. */
type Emulator = { readonly authority: string; readonly connectionString: string };

export async function checkJava(
  name: string,
  folder: string,
  emulator: Emulator,
  tally: Tally,
): Promise<void> {
  const resolved = await run(
    'mvn',
    [...MAVEN, 'dependency:build-classpath', '-Dmdep.outputFile=classpath'],
    folder,
  );
  if (!resolved.isGood) return tally.leftOut(name, resolved.text);
  const compiled = await run('mvn', [...MAVEN, 'compile'], folder);
  tally.add(`the program of ${name} compiles`, compiled.isGood, compiled.text);
  if (!compiled.isGood) return;

  const properties = trustProperties(await writeTrustStore(emulator.authority, folder));
  const classes = `target/classes:${await readFile(join(folder, 'classpath'), 'utf8')}`;
  const env = { SERVICEBUS_CONNECTION_STRING: emulator.connectionString };
  const { isGood, stdout, text } = await run(
    'java',
    [...properties, '-cp', classes, 'jitney.Main'],
    folder,
    env,
  );
  tally.add(`${name} sends and receives`, isGood && stdout.includes('received hello\n'), text);
}
