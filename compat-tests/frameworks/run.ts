// `npm run frameworks`: programs of Celery, NestJS, AddAzureClients, Dapr, KEDA's SDK, Spring, Camel and Quarkus against the built product; and whether what the docs print compiles.

import { appendFile, cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, Tally } from '../package/steps.js';
import { Jitney } from '../support/jitney.js';
import { markdownBlocks } from '../support/markdown-blocks.js';
import { RunningProcess } from '../support/running-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { fetchAuthority } from '../support/trust.js';
import { checkJava, type JavaProgram } from './java.js';
import { compileTestcontainers, runContainer, runPython } from './testcontainers.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const LIMIT_MS = 60_000;
/** Celery and Spring's JMS starter dial 5671 whatever they are told. */
const PORTS = ['--tls-port', '5671'];
const ENTITIES = [
  '--queue',
  'queue.1',
  '--queue',
  'counted',
  '--queue',
  'spring',
  '--queue',
  'camel',
  '--topic',
  'fixed/app',
  '--topic',
  'events/counted',
];
const CELERY = ['celery==5.6.2', 'kombu==5.7.0', 'azure-servicebus==7.15.0', 'azure-identity'];
const NEST = ['@nestjs/common@10', '@nestjs/core@10', 'reflect-metadata@0.2', 'rxjs@7'];
const NEST_PACKAGES = [...NEST, '@azure/service-bus@7.9.5', 'tsx@4', 'typescript@5', '@types/node@22'];
const NEST_COMPILER = {
  experimentalDecorators: true,
  module: 'nodenext',
  target: 'es2022',
  strict: true,
  skipLibCheck: true,
};
/** Without these, .NET leaves servers running that hold its output open, and reports what it does. */
const DOTNET = {
  MSBUILDDISABLENODEREUSE: '1',
  UseSharedCompilation: 'false',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  DOTNET_NOLOGO: '1',
};
const PARSE_YAML = 'import sys, yaml; [list(yaml.safe_load_all(open(path))) for path in sys.argv[1:]]';

const SPRING: JavaProgram['commands'] = [
  ['jitney.standard.Main'],
  ['jitney.premium.Main', 'first'],
  ['jitney.premium.Main', 'again'],
];
const FIRST_AND_AGAIN: JavaProgram['commands'] = [['first'], ['again']];
const QUARKUS_JAR = 'target/quarkus-app/quarkus-run.jar';
const JAVA_PROGRAMS: readonly JavaProgram[] = [
  { name: "Spring Boot's JMS starter", folder: 'spring-jms', commands: SPRING },
  {
    name: "Spring Boot 4 and the starter's parts",
    folder: 'spring-jms',
    project: 'pom-boot-4.xml',
    commands: SPRING,
  },
  { name: 'Apache Camel', folder: 'camel', commands: [['jitney.Main']] },
  {
    name: "Apache Camel's JMS",
    folder: 'camel-jms',
    commands: [
      ['jitney.Main', 'first'],
      ['jitney.Main', 'again'],
    ],
  },
  {
    name: 'Quarkus',
    folder: 'quarkus',
    // Its extension connects as Qpid JMS.
    jitney: ['--jms', 'all'],
    jar: { path: QUARKUS_JAR, options: [] },
    commands: FIRST_AND_AGAIN,
  },
  {
    name: "Quarkus with Azure's library",
    folder: 'quarkus',
    jar: { path: QUARKUS_JAR, options: ['-Dquarkus.profile=azure'] },
    commands: FIRST_AND_AGAIN,
  },
];

/** Where the programs run, and what they trust the emulator by. */
type Place = { readonly directory: string; readonly authority: string; readonly connectionString: string };

const tally = new Tally();
await using work = await temporaryDirectory();
await main(work.path);
await compileTestcontainers(work.path, tally);
await runPython(work.path, tally);
await runContainer(work.path, tally);
await checkYaml(work.path);
process.exitCode = tally.end();

async function main(directory: string): Promise<void> {
  await withJitney(directory, async (place) => {
    await checkCelery(place);
    await checkNest(place);
    await checkAzureClients(place);
    await checkDapr(place);
    await checkKeda(place);
  });
  for (const program of JAVA_PROGRAMS) {
    const check = async (place: Place) => {
      const folder = await copied(program.folder, directory);
      await checkJava({ ...program, folder }, place, tally);
    };
    await withJitney(directory, check, program.jitney);
  }
}

/** Each time with an emulator that has nothing of an earlier program. */
async function withJitney(
  directory: string,
  use: (place: Place) => Promise<void>,
  options: readonly string[] = [],
): Promise<void> {
  let jitney: Jitney;
  try {
    const extraArguments = [
      '--cert-directory',
      join(directory, 'certificates'),
      ...PORTS,
      ...ENTITIES,
      ...options,
    ];
    jitney = await Jitney.start({ port: 5672, extraArguments });
  } catch (error) {
    return tally.leftOut('all programs: the ports 5672 and 5671 must be free', String(error));
  }
  try {
    const authority = join(directory, 'ca.pem');
    await writeFile(authority, await fetchAuthority(jitney));
    await use({ directory, authority, connectionString: jitney.connectionString });
  } finally {
    await jitney.stop();
  }
}

async function checkCelery({ directory, authority }: Place): Promise<void> {
  const folder = await copied('celery', directory);
  const python = join(folder, 'venv/bin/python');
  const made = await run('python3', ['-m', 'venv', 'venv'], folder);
  const installed = made.isGood ? await run(python, ['-m', 'pip', 'install', ...CELERY], folder) : made;
  if (!installed.isGood) return tally.leftOut('Celery', installed.text);
  const certifi = await run(python, ['-m', 'certifi'], folder);
  await appendFile(certifi.stdout.trim(), await readFile(authority));

  // Names of other files, as this machine may have them, would count before certifi's.
  const env = { REQUESTS_CA_BUNDLE: authority, CURL_CA_BUNDLE: authority };
  const words = ['-m', 'celery', '--app', 'tasks', 'worker', '--pool', 'solo'];
  const worker = new RunningProcess(words, { command: python, workingDirectory: folder, env });
  try {
    const sent = await run(python, ['-c', 'from tasks import add; add.delay(2, 3)'], folder, env);
    tally.add('Celery sends a task', sent.isGood, sent.text);
    if (sent.isGood) await worker.printed('the sum is 5', LIMIT_MS);
    tally.add('a worker of Celery runs it', sent.isGood, worker.output);
  } catch (error) {
    tally.add('a worker of Celery runs it', false, String(error));
  } finally {
    worker.signal('SIGKILL');
    await worker.exited;
  }
}

async function checkNest({ directory, connectionString }: Place): Promise<void> {
  const folder = await copied('nestjs', directory);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: NEST_COMPILER }));
  const installed = await run('npm', ['install', ...NEST_PACKAGES], folder);
  if (!installed.isGood) return tally.leftOut('NestJS', installed.text);
  const compiled = await run('node_modules/.bin/tsc', ['--noEmit'], folder);
  tally.add('the module of NestJS compiles', compiled.isGood, compiled.text);
  const env = { SERVICEBUS_CONNECTION_STRING: connectionString };
  const { isGood, stdout, text } = await run('node_modules/.bin/tsx', ['main.ts'], folder, env);
  tally.add('NestJS sends and receives', isGood && stdout === 'hello\n', text);
}

async function checkAzureClients({ directory, connectionString }: Place): Promise<void> {
  const folder = await copied('azure-clients', directory);
  const restored = await run('dotnet', ['restore'], folder, DOTNET);
  if (!restored.isGood) return tally.leftOut('AddAzureClients', restored.text);
  const built = await run('dotnet', ['build', '--no-restore', '--output', 'program'], folder, DOTNET);
  tally.add('the program of AddAzureClients compiles', built.isGood, built.text);
  if (!built.isGood) return;
  const env = { SERVICEBUS_CONNECTION_STRING: connectionString };
  const { isGood, stdout, text } = await run('dotnet', ['exec', 'program/azure-clients.dll'], folder, env);
  tally.add('AddAzureClients sends, receives and administers', isGood && stdout === 'hello, 0 left\n', text);
}

async function checkDapr(place: Place): Promise<void> {
  const program = await builtGo('dapr', place);
  if (program === undefined) return;
  const ways = [
    { name: 'Dapr with entities that are there', TOPIC: 'fixed', DISABLE_ENTITY_MANAGEMENT: 'true' },
    { name: 'Dapr makes topic and subscription', TOPIC: 'made', DISABLE_ENTITY_MANAGEMENT: 'false' },
  ];
  for (const { name, ...variables } of ways) {
    const { isGood, stdout, text } = await runGo(program, place, variables);
    tally.add(name, isGood && stdout.includes('hello\n'), text);
  }
}

async function checkKeda(place: Place): Promise<void> {
  const program = await builtGo('keda', place);
  if (program === undefined) return;
  await post('counted', place);
  await post('counted', place);
  await post('events', place);
  const { isGood, stdout, text } = await runGo(program, place, {});
  tally.add("KEDA's calls", isGood && stdout === '2 1 [2 1]\n', text);
}

async function post(entity: string, { connectionString }: Place): Promise<void> {
  const [, address] = /sb:\/\/([^;/]+)/.exec(connectionString) ?? [];
  const headers = { authorization: 'SharedAccessSignature any' };
  const { status } = await fetch(`http://${address}/${entity}/messages`, {
    method: 'POST',
    headers,
    body: 'x',
  });
  tally.add(`a message for ${entity} is accepted`, status === 201, `the status is ${status}`);
}

/** Parses what the docs print for Compose, GitHub Actions and Kubernetes. */
async function checkYaml(directory: string): Promise<void> {
  const folder = join(directory, 'yaml');
  await mkdir(folder);
  const files: string[] = [];
  for (const page of ['ci.md', 'frameworks.md']) {
    for (const { language, line, text } of markdownBlocks(await readFile(join(DOCS, page), 'utf8'))) {
      if (language !== 'yaml') continue;
      files.push(`${page}-${line}.yaml`);
      await writeFile(join(folder, `${page}-${line}.yaml`), text);
    }
  }
  const made = await run('python3', ['-m', 'venv', 'venv'], folder);
  const python = join(folder, 'venv/bin/python');
  const installed = made.isGood ? await run(python, ['-m', 'pip', 'install', 'pyyaml==6.0.3'], folder) : made;
  if (!installed.isGood) return tally.leftOut('YAML', installed.text);
  const { isGood, text } = await run(python, ['-c', PARSE_YAML, ...files], folder);
  tally.add(`${files.length} blocks of YAML are read`, isGood && files.length > 0, text);
}

function runGo(program: string, { authority, directory, connectionString }: Place, variables: object) {
  const trust = { SSL_CERT_FILE: authority, SERVICEBUS_CONNECTION_STRING: connectionString };
  return run(program, [], directory, { ...trust, ...variables });
}

async function builtGo(name: string, { directory }: Place): Promise<string | undefined> {
  const folder = await copied(name, directory);
  const tidied = await run('go', ['mod', 'tidy'], folder);
  if (!tidied.isGood) {
    tally.leftOut(name, tidied.text);
    return undefined;
  }
  const built = await run('go', ['build', '-o', 'program', '.'], folder);
  tally.add(`the program of ${name} compiles`, built.isGood, built.text);
  return built.isGood ? join(folder, 'program') : undefined;
}

async function copied(name: string, directory: string): Promise<string> {
  const folder = await mkdtemp(join(directory, `${name}-`));
  await cp(join(FOLDER, name), folder, { recursive: true });
  return folder;
}
