// The identity libraries that are tried: those of two years ago, of one year ago, and the newest; and how each is installed and run.

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../package/steps.js';
import { type TrustStore, trustProperties } from '../support/trust-store.js';

type Command = readonly [string, ...string[]];

/** A kind of credential; `key` is the connection string. */
export type Kind = 'default' | 'environment' | 'secret' | 'workload' | 'key';

export type Library = {
  readonly name: string;
  readonly versions: readonly string[];
  /** Commands that succeed where the language is there. */
  readonly needs: readonly Command[];
  /** Files of this folder that the program consists of. */
  readonly program: readonly string[];
  /** Other files by their names. */
  readonly files?: (version: string) => Readonly<Record<string, string>>;
  readonly install: (version: string) => readonly Command[];
  readonly run: (trustStore: TrustStore) => Command;
  /** The kinds that it is tried with, with default ports only, besides the others. */
  readonly onDefaultPorts?: readonly Kind[];
};

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/jitney-identity', import.meta.url));
const GO_MODULE = 'github.com/Azure/azure-sdk-for-go/sdk/azidentity';
const COPY_JARS = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
/** The HTTP client that azure-messaging-servicebus 7.17.20 brings. */
const NETTY = ['com.azure:azure-core-http-netty:1.16.6'];

export const LIBRARIES: readonly Library[] = [
  {
    name: 'JavaScript, @azure/identity',
    versions: ['4.5.0', '4.10.2', '4.14.1'],
    needs: [['npm', '--version']],
    program: ['client.mjs'],
    files: () => ({ 'package.json': '{}' }),
    install: (version) => [['npm', 'install', '--no-audit', '--no-fund', `@azure/identity@${version}`]],
    run: () => ['node', 'client.mjs'],
  },
  {
    name: 'Python, azure-identity',
    versions: ['1.19.0', '1.23.1', '1.27.0'],
    needs: [['python3', '-m', 'venv', '--help']],
    program: ['client.py'],
    install: (version) => [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', `azure-identity==${version}`],
    ],
    run: () => ['venv/bin/python', 'client.py'],
  },
  {
    name: 'Go, azidentity',
    versions: ['1.8.0', '1.10.1', '1.15.0'],
    needs: [['go', 'version']],
    program: ['client.go'],
    install: (version) => [
      ['go', 'mod', 'init', 'client'],
      ['go', 'get', `${GO_MODULE}@v${version}`],
      ['go', 'mod', 'tidy'],
      ['go', 'build', '-o', 'client', '.'],
    ],
    run: () => ['./client'],
  },
  javaLibrary({
    name: 'Java, azure-identity',
    main: 'Client',
    versions: {
      '1.14.2': [],
      '1.16.3': [],
      '1.19.0': NETTY,
    },
    artifact: 'com.azure:azure-identity',
  }),
  javaLibrary({
    name: 'JMS, azure-servicebus-jms',
    main: 'JmsClient',
    versions: { '2.1.0': ['com.azure:azure-identity:1.19.0', ...NETTY] },
    artifact: 'com.azure:azure-servicebus-jms',
    // It dials 5671 for any connection string.
    onDefaultPorts: ['key'],
  }),
  {
    name: '.NET, Azure.Identity',
    versions: ['1.10.2', '1.14.2', '1.17.2', '1.21.0'],
    needs: [['dotnet', '--version']],
    program: ['Program.cs'],
    files: (version) => ({ 'client.csproj': csproj(version) }),
    install: () => [['dotnet', 'build', '--verbosity', 'quiet', '--output', 'out']],
    run: () => ['dotnet', 'exec', 'out/client.dll'],
  },
];

type JavaLibrary = Pick<Library, 'name' | 'onDefaultPorts'> & {
  readonly main: string;
  readonly artifact: string;
  /** What is installed beside each version. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
};

function javaLibrary({ main, artifact, versions, ...library }: JavaLibrary): Library {
  return {
    ...library,
    versions: Object.keys(versions),
    needs: [
      ['javac', '--version'],
      ['mvn', '--version'],
    ],
    program: ['Credentials.java', `${main}.java`],
    files: (version) => ({ 'pom.xml': pom([...(versions[version] ?? []), `${artifact}:${version}`]) }),
    install: () => [
      ['mvn', '--batch-mode', '--quiet', '-Dmaven.repo.local=../maven', COPY_JARS, '-DoutputDirectory=jars'],
      ['javac', '-cp', 'jars/*', 'Credentials.java', `${main}.java`],
    ],
    run: (trustStore) => [
      'java',
      '-XX:TieredStopAtLevel=1',
      ...trustProperties(trustStore),
      '-cp',
      'jars/*:.',
      main,
    ],
  };
}

function pom(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, id, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>jitney</groupId><artifactId>identity</artifactId><version>1</version>
<dependencies>${dependencies.join('\n')}</dependencies></project>
`;
}

function csproj(version: string): string {
  return `<Project Sdk="Microsoft.NET.Sdk">
<PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
<ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable><NuGetAudit>false</NuGetAudit></PropertyGroup>
<ItemGroup><PackageReference Include="Azure.Identity" Version="[${version}]" /></ItemGroup></Project>
`;
}

/** The need that is not met here, or undefined. */
export async function missingNeed({ needs }: Library): Promise<string | undefined> {
  for (const [command, ...words] of needs) {
    if (!(await run(command, words, FOLDER)).isGood) return [command, ...words].join(' ');
  }
  return undefined;
}

/** Installs a version, unless its folder has it already, and returns the folder. Throws an Error with what the step printed. */
export async function installed(library: Library, version: string): Promise<string> {
  const folder = join(CACHE, `${library.program.at(-1)}-${version}`);
  const stamp = join(folder, 'installed');
  const files = library.files?.(version) ?? {};
  const steps = library.install(version);
  const sources = await Promise.all(library.program.map((name) => readFile(join(FOLDER, name), 'utf8')));
  const wanted = JSON.stringify([sources, files, steps]);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of library.program) await cp(join(FOLDER, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  for (const [command, ...words] of steps) {
    const { isGood, text } = await run(command, words, folder);
    if (!isGood) throw new Error(`${[command, ...words].join(' ')}: ${text}`);
  }
  await writeFile(stamp, wanted);
  return folder;
}
