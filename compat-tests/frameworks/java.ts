// Builds a Java program of this folder with Maven, runs its commands one after the other, and counts the scenarios that they report.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type Tally } from '../package/steps.js';
import { trustProperties, writeTrustStore } from '../support/trust-store.js';

const REPOSITORY = fileURLToPath(
  new URL('../../node_modules/.cache/jitney-frameworks/maven', import.meta.url),
);
const MAVEN = ['-q', '-B', `-Dmaven.repo.local=${REPOSITORY}`];
/** What a program prints of each of its scenarios. */
const REPORT = /^(good|bad): (.+)$/gm;

export type JavaProgram = {
  readonly name: string;
  readonly folder: string;
  /** Its project, if that is not `pom.xml`. */
  readonly project?: string;
  /** The options of Jitney that it needs. */
  readonly jitney?: readonly string[];
  /** What Maven packs, such as Quarkus' own loader, with Maven's options for that. Other programs are only compiled. */
  readonly jar?: { readonly path: string; readonly options: readonly string[] };
  /** A main class each, with its arguments; those of a jar have arguments alone. */
  readonly commands: readonly (readonly [string, ...string[]])[];
};

/** What it trusts the emulator by, and where the emulator is. */
type Emulator = { readonly authority: string; readonly connectionString: string };

export async function checkJava(
  { name, folder, project = 'pom.xml', jar, commands }: JavaProgram,
  emulator: Emulator,
  tally: Tally,
): Promise<void> {
  const maven = [...MAVEN, '--file', project];
  const resolved = await run(
    'mvn',
    [...maven, 'dependency:build-classpath', '-Dmdep.outputFile=classpath'],
    folder,
  );
  if (!resolved.isGood) return tally.leftOut(name, resolved.text);
  const goal = jar === undefined ? ['compile'] : ['package', ...jar.options];
  const compiled = await run('mvn', [...maven, ...goal], folder);
  tally.add(`the program of ${name} compiles`, compiled.isGood, compiled.text);
  if (!compiled.isGood) return;

  const properties = trustProperties(await writeTrustStore(emulator.authority, folder));
  const classes = `target/classes:${await readFile(join(folder, 'classpath'), 'utf8')}`;
  const program = jar === undefined ? ['-cp', classes] : ['-jar', jar.path];
  const env = { SERVICEBUS_CONNECTION_STRING: emulator.connectionString };
  for (const command of commands) {
    const { isGood, stdout, text } = await run('java', [...properties, ...program, ...command], folder, env);
    const reports = [...stdout.matchAll(REPORT)];
    for (const [, outcome, scenario] of reports) {
      tally.add(`${name}: ${scenario}`, outcome === 'good', text);
    }
    tally.add(`${name}: ${command.join(' ')} runs to its end`, isGood && reports.length > 0, text);
  }
}
