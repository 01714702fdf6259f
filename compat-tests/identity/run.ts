// `npm run measure -- identity`: whether what `jitney env` prints serves each identity library, with default ports and others, strict and not.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../package/steps.js';
import { Jitney } from '../support/jitney.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { fetchAuthority } from '../support/trust.js';
import { type TrustStore, writeTrustStore } from '../support/trust-store.js';
import { installed, type Kind, LIBRARIES, type Library, missingNeed } from './libraries.js';

type Subject = { readonly library: Library; readonly version: string; readonly folder: string };
type Server = { readonly name: string; readonly port: number; readonly options: readonly string[] };
/** A server that runs, and what `jitney env` prints of it for each credential. */
type Place = {
  readonly server: Server;
  readonly port: number;
  readonly variables: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly trustStore: TrustStore;
};

const JITNEY = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const REASON_LENGTH = 200;
const DEFAULT_PORTS = { port: 5672, options: ['--tls-port', '5671'] };
const SERVERS: readonly Server[] = [
  { name: 'default ports', ...DEFAULT_PORTS },
  { name: 'default ports, strict', port: 5672, options: [...DEFAULT_PORTS.options, '--auth', 'strict'] },
  { name: 'other ports', port: 0, options: [] },
  { name: 'other ports, strict', port: 0, options: ['--auth', 'strict'] },
];
/** The kinds that are tried with what each `--credential` prints. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  'managed-identity': ['key', 'default'],
  secret: ['environment', 'secret'],
  workload: ['workload'],
};
const TITLES: Readonly<Record<Kind, string>> = {
  default: 'DefaultAzureCredential',
  environment: 'EnvironmentCredential',
  secret: 'ClientSecretCredential',
  workload: 'WorkloadIdentityCredential',
  key: 'connection string',
};

/** Why a kind failed at a server; undefined: it did not. */
class Results {
  readonly #reasons = new Map<string, string | undefined>();

  add(subject: Subject, server: Server, kind: Kind, reason: string | undefined): void {
    this.#reasons.set(key(subject, server, kind), reason);
  }

  /** The table, in Markdown, and below it each reason. */
  print(subjects: readonly Subject[]): number {
    const kinds = Object.keys(TITLES) as Kind[];
    const head = ['library', ...kinds.map((kind) => TITLES[kind])];
    console.log(`| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}`);
    const reasons: string[] = [];
    for (const subject of subjects) {
      const cells = kinds.map((kind) => {
        const tried = SERVERS.filter((server) => this.#reasons.has(key(subject, server, kind)));
        const failed = tried.filter((server) => this.#reasons.get(key(subject, server, kind)) !== undefined);
        for (const server of failed) {
          const what = `${subject.library.name} ${subject.version}, ${TITLES[kind]}, ${server.name}`;
          reasons.push(`${what}: ${this.#reasons.get(key(subject, server, kind))}`);
        }
        if (failed.length > 0) return `**no** (${failed.map(({ name }) => name).join('; ')})`;
        if (tried.length === 0) return '-';
        return tried.length === SERVERS.length ? 'yes' : tried.map(({ name }) => name).join('; ');
      });
      console.log(`| ${subject.library.name} ${subject.version} | ${cells.join(' | ')} |`);
    }
    for (const reason of reasons) console.log(`- ${reason}`);
    return reasons.length === 0 ? 0 : 1;
  }
}

// Programs see no login of this machine's user.
for (const name of Object.keys(process.env))
  if (/^(AZURE|IDENTITY|MSI)_/.test(name)) delete process.env[name];
process.exitCode = await main(process.argv.slice(2));

/** Words choose the libraries whose names have one of them. */
async function main(words: readonly string[]): Promise<number> {
  const subjects = await installAll(words);
  const results = new Results();
  await using directory = await temporaryDirectory();
  for (const server of SERVERS) {
    const jitney = await start(server, directory.path);
    if (jitney === undefined) {
      console.log(`${server.name}: left out, since 5672 or 5671 is in use`);
      continue;
    }
    await using _ = jitney;
    const place = await placeOf(server, jitney, directory.path);
    console.log(`${server.name} ...`);
    for (const subject of subjects) await tryOut(subject, place, results);
  }
  return results.print(subjects);
}

async function installAll(words: readonly string[]): Promise<readonly Subject[]> {
  const subjects: Subject[] = [];
  for (const library of LIBRARIES) {
    if (words.length > 0 && !words.some((word) => library.name.includes(word))) continue;
    const missing = await missingNeed(library);
    if (missing !== undefined) {
      console.log(`${library.name}: left out, '${missing}' does not work here`);
      continue;
    }
    for (const version of library.versions) {
      subjects.push({ library, version, folder: await installed(library, version) });
    }
  }
  return subjects;
}

/** Undefined: another program has the default ports. */
async function start({ port, options }: Server, directory: string): Promise<Jitney | undefined> {
  const extraArguments = ['--cert-directory', join(directory, 'certificates'), ...options];
  try {
    return await Jitney.start({ port, queues: ['orders'], extraArguments });
  } catch (error) {
    if (port === 0) throw error;
    return undefined;
  }
}

async function placeOf(server: Server, jitney: Jitney, directory: string): Promise<Place> {
  const { port } = jitney.address;
  const variables = new Map<string, Record<string, string>>();
  for (const credential of Object.keys(KINDS)) {
    // JSON cannot unset what a shell would, and is the harder case.
    const words = ['env', '--format', 'json', '--credential', credential, '--port', String(port)];
    const options = [...server.options, '--cert-directory', join(directory, 'certificates')];
    const { isGood, stdout, text } = await run(process.execPath, [JITNEY, ...words, ...options], directory);
    if (!isGood) throw new Error(text);
    variables.set(credential, JSON.parse(stdout));
  }
  const authority = join(directory, 'ca.pem');
  await writeFile(authority, await fetchAuthority(jitney));
  return { server, port, variables, trustStore: await writeTrustStore(authority, directory) };
}

async function tryOut(subject: Subject, place: Place, results: Results): Promise<void> {
  const { library, folder } = subject;
  const { onDefaultPorts = [] } = library;
  for (const [credential, variables] of place.variables) {
    const kinds = (KINDS[credential] ?? []).filter(
      (kind) => kind !== 'key' || (onDefaultPorts.includes(kind) && place.port === DEFAULT_PORTS.port),
    );
    const [command, ...words] = library.run(place.trustStore);
    const { stdout, text } = await run(command, [...words, ...kinds], folder, variables);
    for (const kind of kinds) {
      const line = stdout.split('\n').find((one) => one.startsWith(`${kind} `)) ?? `${kind} error ${text}`;
      results.add(subject, place.server, kind, await reasonIn(line.slice(kind.length + 1), place.port));
    }
  }
}

/** Undefined if the program has sent a message, or has got a token with which one can be sent. */
async function reasonIn(outcome: string, port: number): Promise<string | undefined> {
  const [, word, rest = ''] = /^(\S+) ?(.*)/.exec(outcome) ?? [];
  if (word === 'sent') return undefined;
  if (word !== 'token') return rest.slice(0, REASON_LENGTH);
  const headers = { authorization: `Bearer ${rest}` };
  const url = `http://localhost:${port}/orders/messages`;
  const { status } = await fetch(url, { method: 'POST', headers, body: 'hello' });
  return status === 201 ? undefined : `a message with its token was answered ${status}`;
}

function key({ folder }: Subject, { name }: Server, kind: Kind): string {
  return [folder, name, kind].join('\0');
}
