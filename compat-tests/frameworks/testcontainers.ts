// Compiles the Go and Java of `docs/testcontainers.md` against the modules themselves, and runs JitneyContainer with a stand-in of Docker: there is no container engine.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type Tally } from '../package/steps.js';
import { PROJECT } from '../support/documentation.js';
import { markdownBlocks } from '../support/markdown-blocks.js';
import { DockerEngine } from './docker-engine.js';

const PAGE = fileURLToPath(new URL('../../docs/testcontainers.md', import.meta.url));
/** Its last version for Node 20; version 12 has the same classes. */
const NODE_PACKAGES = ['testcontainers@11.14.0', '@azure/service-bus@7.9.5'];
const GO_PROJECT = `module jitney/testcontainers\n\ngo 1.25.0\n\nrequire github.com/testcontainers/testcontainers-go v0.44.0\n`;
const JAVA_PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>jitney</groupId>
  <artifactId>testcontainers</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.testcontainers</groupId>
      <artifactId>testcontainers</artifactId>
      <version>2.0.5</version>
    </dependency>
  </dependencies>
</project>
`;

export async function compileTestcontainers(directory: string, tally: Tally): Promise<void> {
  const blocks = markdownBlocks(await readFile(PAGE, 'utf8'));
  const block = (language: string) => blocks.find((one) => one.language === language)?.text ?? '';

  const go = join(directory, 'testcontainers-go');
  await write(go, { 'go.mod': GO_PROJECT, 'main.go': block('go') });
  const tidied = await run('go', ['mod', 'tidy'], go);
  if (!tidied.isGood) tally.leftOut('Testcontainers for Go', tidied.text);
  else {
    const vetted = await run('go', ['vet', '.'], go);
    tally.add('the block of Testcontainers for Go compiles', vetted.isGood, vetted.text);
  }

  const java = join(directory, 'testcontainers-java');
  await write(java, { 'pom.xml': JAVA_PROJECT, 'src/main/java/Jitney.java': block('java') });
  const resolved = await run('mvn', ['-q', '-B', 'dependency:resolve'], java);
  if (!resolved.isGood) return tally.leftOut('Testcontainers for Java', resolved.text);
  const compiled = await run('mvn', ['-q', '-B', 'compile'], java);
  tally.add('the block of Testcontainers for Java compiles', compiled.isGood, compiled.text);
}

/** Installs the packed package with Testcontainers for Node, and runs a program with JitneyContainer. */
export async function runContainer(directory: string, tally: Tally): Promise<void> {
  const folder = join(directory, 'testcontainers-node');
  await write(folder, { 'package.json': '{ "private": true }' });
  await copyFile(join(import.meta.dirname, 'testcontainers/program.mjs'), join(folder, 'program.mjs'));
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], PROJECT);
  const tarball = packed.stdout.trim().split('\n').at(-1) ?? '';
  const packages = ['--omit=optional', `./${tarball}`, ...NODE_PACKAGES];
  const installed = packed.isGood ? await run('npm', ['install', ...packages], folder) : packed;
  if (!installed.isGood) return tally.leftOut('JitneyContainer', installed.text);
  await using engine = await DockerEngine.start();
  const env = { DOCKER_HOST: engine.address, TESTCONTAINERS_RYUK_DISABLED: 'true' };
  const { isGood, stdout, text } = await run(process.execPath, ['program.mjs'], folder, env);
  const unknown = `${text}\nunknown to the stand-in: ${engine.unknown.join(', ') || 'nothing'}`;
  tally.add('JitneyContainer sends and receives', isGood && stdout === 'hello\nhello\n', unknown);
  tally.add('JitneyContainer stops its container', !engine.isContainerRunning);
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
