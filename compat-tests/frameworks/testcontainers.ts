// Compiles the Go and Java of `docs/testcontainers.md` against the modules themselves; running them would take a container engine.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type Tally } from '../package/steps.js';
import { markdownBlocks } from '../support/markdown-blocks.js';

const PAGE = fileURLToPath(new URL('../../docs/testcontainers.md', import.meta.url));
const GO_MODULES = ['', '/modules/azure', '/modules/mssql'].map(
  (path) => `github.com/testcontainers/testcontainers-go${path} v0.44.0`,
);
const GO_PROJECT = `module jitney/testcontainers\n\ngo 1.25.0\n\nrequire (\n\t${GO_MODULES.join('\n\t')}\n)\n`;
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
      <artifactId>testcontainers-azure</artifactId>
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

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
