// Compiles the Go and Java of `docs/ci.md` against the modules themselves, and runs its Python and JitneyContainer with a stand-in of
// Docker: there is no container engine.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFromNpm } from '../package/node-from-npm.js';
import { run, type Tally } from '../package/steps.js';
import { PROJECT } from '../support/documentation.js';
import { markdownBlocks } from '../support/markdown-blocks.js';
import { DockerEngine } from './docker-engine.js';

const PAGE = fileURLToPath(new URL('../../docs/ci.md', import.meta.url));
/** The oldest that the package allows, the last one for Node 20, and the newest. */
const NODE_VERSIONS = [
  { version: '10.0.1', node: '20' },
  { version: '11.14.0', node: '20' },
  { version: '12.2.0', node: '24' },
] as const;
const PYTHON_PACKAGE = 'testcontainers==4.15.0';
/** Goes on within the block's `with`. */
const SEND_IN_PYTHON = `    import urllib.request

    headers = {"Authorization": "SharedAccessSignature any"}
    request = urllib.request.Request(f"http://{endpoint}/orders/messages", data=b"hello", headers=headers)
    print(urllib.request.urlopen(request).status, connection_string)
`;
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
  await write(go, { 'go.mod': GO_PROJECT, 'orders.go': block('go') });
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

/** Runs the block for Python with its library, and sends a message to the address that it makes. */
export async function runPython(directory: string, tally: Tally): Promise<void> {
  const folder = join(directory, 'testcontainers-python');
  const blocks = markdownBlocks(await readFile(PAGE, 'utf8'));
  const block = blocks.find(({ language }) => language === 'python')?.text ?? '';
  await write(folder, { 'program.py': `${block}${SEND_IN_PYTHON}` });
  const made = await run('python3', ['-m', 'venv', 'venv'], folder);
  const python = join(folder, 'venv/bin/python');
  const installed = made.isGood ? await run(python, ['-m', 'pip', 'install', PYTHON_PACKAGE], folder) : made;
  if (!installed.isGood) return tally.leftOut('Testcontainers for Python', installed.text);
  await runWithEngine('the block of Testcontainers for Python', tally, {
    command: [python, 'program.py'],
    folder,
    expected: /^201 Endpoint=sb:\/\/127\.0\.0\.1:\d+;SharedAccessKeyName=.*=true;\n$/,
  });
}

/** Installs the packed package with Testcontainers for Node, and runs a program with JitneyContainer. */
export async function runContainer(directory: string, tally: Tally): Promise<void> {
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], PROJECT);
  const tarball = join(directory, packed.stdout.trim().split('\n').at(-1) ?? '');
  for (const { version, node: range } of NODE_VERSIONS) {
    const what = `JitneyContainer with testcontainers ${version}`;
    const node = await nodeFromNpm(range, directory);
    if (typeof node === 'string') {
      tally.leftOut(what, node);
      continue;
    }
    const folder = join(directory, `testcontainers-node-${version}`);
    await write(folder, { 'package.json': '{ "private": true }' });
    await copyFile(join(import.meta.dirname, 'testcontainers/program.mjs'), join(folder, 'program.mjs'));
    const packages = ['--omit=optional', tarball, `testcontainers@${version}`, '@azure/service-bus@7.9.5'];
    const installed = packed.isGood ? await run('npm', ['install', ...packages], folder, node.env) : packed;
    if (!installed.isGood) tally.leftOut(what, installed.text);
    else {
      const command = [node.path, 'program.mjs'] as const;
      await runWithEngine(what, tally, { command, folder, expected: /^hello\nhello\n$/ });
    }
  }
}

type Program = {
  readonly command: readonly [string, string];
  readonly folder: string;
  /** What it prints. */
  readonly expected: RegExp;
};

/** Runs a program that starts one container and ends it again. */
async function runWithEngine(what: string, tally: Tally, { command, folder, expected }: Program) {
  await using engine = await DockerEngine.start();
  const env = {
    DOCKER_HOST: engine.address,
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    // Otherwise the library for Python, if it is itself in a container, looks for a network of Docker's.
    TESTCONTAINERS_CONNECTION_MODE: 'docker_host',
  };
  const [program, file] = command;
  const { isGood, stdout, text } = await run(program, [file], folder, env);
  const unknown = `${text}\nunknown to the stand-in: ${engine.unknown.join(', ') || 'nothing'}`;
  tally.add(`${what} sends and receives`, isGood && expected.test(stdout), unknown);
  tally.add(`${what} stops its container`, isGood && !engine.isContainerRunning, unknown);
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
