// The emulators that a language's program speaks with, and the variables that name them: one is strict, one creates what is missing and has JMS 2.0 for all.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { Jitney } from '../support/jitney.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { createByCommand } from './create-by-command.js';
import { CONFIGURATION } from './entities.js';

export type Servers = AsyncDisposable & {
  readonly env: Readonly<Record<string, string>>;
  /** Kills the one that is not strict, and starts it again on its data and port. */
  readonly restart: () => Promise<void>;
};

const KEY_NAME = 'RootManageSharedAccessKey';
const KEY = 'SAS_KEY_VALUE';
/** Some libraries dial these whatever port they are given. */
const DEFAULT_PORTS = [
  { port: 5671, option: '--tls-port', variable: 'TLS_PORT' },
  { port: 443, option: '--https-port', variable: 'HTTPS_PORT' },
];

/** `program` is the `dist/cli/main.js` of another build. */
export async function startServers(program?: string): Promise<Servers> {
  const directory = await temporaryDirectory();
  const running = new Map<string, Jitney>();
  const dispose = async () => {
    for (const jitney of running.values()) await jitney[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  };
  try {
    return await startAll(directory.path, running, dispose, program);
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startAll(
  path: string,
  running: Map<string, Jitney>,
  dispose: () => Promise<void>,
  program: string | undefined,
): Promise<Servers> {
  const configFile = join(path, 'Config.json');
  await writeFile(configFile, JSON.stringify(CONFIGURATION));
  const start = async (name: string, options: readonly string[], port = 0) => {
    const jitney = await Jitney.start({
      port,
      dataDirectory: join(path, name),
      extraArguments: [
        ...['--config', configFile, '--cert-directory', join(path, 'certificates')],
        ...['--namespaces', 'one,two'],
        ...options,
      ],
      ...(program === undefined ? {} : { program }),
    });
    running.set(name, jitney);
    return jitney;
  };
  let defaultPorts = await findFreeDefaultPorts();
  const startMain = (port?: number) => {
    const options = defaultPorts.flatMap((one) => [one.option, String(one.port)]);
    return start('main', options, port);
  };
  let main = await startMain().catch(() => {
    // Somebody else has taken them since.
    defaultPorts = [];
    return startMain();
  });
  await createByCommand(main.connectionString, program);
  const strict = await start('strict', ['--auth', 'strict']);
  const creating = await start('creating', ['--auto-create', '--jms', 'all']);
  const caFile = join(path, 'ca.pem');
  await writeFile(caFile, await authorityOf(main));
  const prefixed = (prefix: string, jitney: Jitney) =>
    Object.entries(variablesOf(jitney, caFile)).map(([name, value]) => [`${prefix}${name}`, value]);
  return {
    env: {
      ...variablesOf(main, caFile),
      ...Object.fromEntries(defaultPorts.map(({ variable, port }) => [variable, String(port)])),
      ...Object.fromEntries([...prefixed('STRICT_', strict), ...prefixed('AUTO_CREATE_', creating)]),
      ...withoutProxy(),
      FAULTS: resolve(import.meta.dirname, '../faults'),
    },
    restart: async () => {
      await main.killNine();
      main = await startMain(main.address.port);
    },
    [Symbol.asyncDispose]: dispose,
  };
}

function variablesOf({ address, connectionString }: Jitney, caFile: string): Record<string, string> {
  const port = String(address.port);
  return {
    CONNECTION_STRING: connectionString,
    TLS_CONNECTION_STRING: `Endpoint=sb://localhost:${port};SharedAccessKeyName=${KEY_NAME};SharedAccessKey=${KEY}`,
    HOST: 'localhost',
    FQDN: 'localhost',
    PORT: port,
    ADMIN_PORT: port,
    KEY_NAME,
    KEY,
    CA_FILE: caFile,
    IDENTITY_ENDPOINT: `http://localhost:${port}/msi/token`,
    IDENTITY_HEADER: 'jitney',
  };
}

/** A machine's own proxy is not asked for localhost. */
function withoutProxy(): Record<string, string> {
  const hosts = 'localhost,127.0.0.1,::1';
  return { NO_PROXY: hosts, no_proxy: hosts };
}

async function authorityOf({ address }: Jitney): Promise<string> {
  const response = await fetch(`http://${address.host}:${address.port}/ca.pem`);
  if (!response.ok) throw new Error(`/ca.pem is answered ${response.status}`);
  return await response.text();
}

async function findFreeDefaultPorts(): Promise<typeof DEFAULT_PORTS> {
  const free: typeof DEFAULT_PORTS = [];
  for (const candidate of DEFAULT_PORTS) {
    const isFree = await Promise.all(['127.0.0.1', '::1'].map((host) => canListen(host, candidate.port)));
    if (isFree.every(Boolean)) free.push(candidate);
  }
  return free;
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
