// The contract between the image and the tools made for the official emulator's: variables, ports, place of Config.json, ready line.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MOUNTED_CONFIG_FILE } from '../../../src/cli/start/emulator-start.js';
import { runStart } from '../../../src/cli/start/start-command.js';
import type { Environment } from '../../../src/config/environment.js';
import { readSettings } from '../../../src/config/settings.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';

type Module = {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  /** The pattern of the ready line, matched against each line or against the whole output. */
  readonly ready?: { readonly line: RegExp } | { readonly output: RegExp };
};

const CONFIG_PATH = '/ServiceBus_Emulator/ConfigFiles/Config.json';
const BOTH_PORTS = [5672, 5300];

/** Read from the source of the version named. */
const MODULES: readonly Module[] = [
  {
    // build/azureservicebus-container.js: waits for /health on 5300 alone
    name: 'Node, @testcontainers/azureservicebus 12.1.0',
    environment: {
      SQL_WAIT_INTERVAL: '0',
      ACCEPT_EULA: 'N',
      SQL_SERVER: 'none',
      MSSQL_SA_PASSWORD: 'P@ssword1!d3adb33f#',
    },
    ports: BOTH_PORTS,
  },
  {
    // ServiceBusEmulatorContainer.java
    name: 'Java, org.testcontainers:testcontainers-azure 2.0.5',
    environment: {
      SQL_WAIT_INTERVAL: '0',
      ACCEPT_EULA: 'Y',
      SQL_SERVER: 'tc-T7sCUwXy',
      MSSQL_SA_PASSWORD: 'A_Str0ng_Required_Password',
    },
    ports: [5672],
    ready: { line: /^.*Emulator Service is Successfully Up!.*$/s },
  },
  {
    // ServiceBusBuilder.cs
    name: '.NET, Testcontainers.ServiceBus 4.13.0',
    environment: {
      SQL_WAIT_INTERVAL: '0',
      ACCEPT_EULA: 'Y',
      SQL_SERVER: 'database-container',
      MSSQL_SA_PASSWORD: 'yourStrong(!)Password',
    },
    ports: BOTH_PORTS,
    ready: { output: /Emulator Service is Successfully Up!/ },
  },
  {
    // servicebus.go: waits for both ports, then for /health on 5300
    name: 'Go, testcontainers-go/modules/azure 0.44.0',
    environment: {
      SQL_WAIT_INTERVAL: '0',
      ACCEPT_EULA: 'Y',
      SQL_SERVER: 'mssql',
      MSSQL_SA_PASSWORD: 'Strong@Passw0rd',
    },
    ports: BOTH_PORTS,
  },
  {
    // AzureServiceBusExtensions.cs: waits for /health on 5300
    name: '.NET Aspire, Aspire.Hosting.Azure.ServiceBus 13.3.0',
    environment: { ACCEPT_EULA: 'Y', SQL_SERVER: 'messaging-mssql:1433', MSSQL_SA_PASSWORD: 'aA1' },
    ports: BOTH_PORTS,
  },
];

const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
const ownVariables = Object.fromEntries(
  (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map((variable) => variable.split('=')),
);
const exposed = dockerfile
  .match(/^EXPOSE (.*)$/m)?.[1]
  ?.split(' ')
  .map(Number);

let directory: string;
let mountedConfigFile: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-modules-'));
  mountedConfigFile = join(directory, 'Config.json');
  const Namespaces = [{ Name: 'sbemulatorns', Queues: [{ Name: 'from-the-file' }] }];
  writeFileSync(mountedConfigFile, JSON.stringify({ UserConfig: { Namespaces } }));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** On free ports of this machine alone. */
async function runImage(variables: Environment, visit: (emulator: Emulator) => Promise<void>) {
  const output = { stdout: '', stderr: '' };
  let visited: Promise<void> | undefined;
  const exitCode = await runStart(
    {},
    {
      version: '1.2.3',
      environment: {
        ...ownVariables,
        ...variables,
        JITNEY_HOST: '127.0.0.1',
        JITNEY_PORT: '0',
        JITNEY_HTTP_PORT: '0',
        JITNEY_TLS_PORT: 'off',
        JITNEY_CERT_DIRECTORY: directory,
      },
      stdout: (text) => {
        output.stdout += text;
      },
      stderr: (text) => {
        output.stderr += text;
      },
      startEmulator: async (options) => {
        const emulator = await startEmulator(options);
        visited = visit(emulator);
        return emulator;
      },
      mountedConfigFile,
      openImport: () => Promise.reject(new Error('Nothing is to be imported')),
      // After the visit, and after what is printed once the emulator has started.
      stopRequested: new Promise((resolve) => {
        const poll = () =>
          visited === undefined ? setImmediate(poll) : resolve(visited.then(() => 'SIGTERM'));
        poll();
      }),
      stopOverdue: () => new Promise(() => {}),
      elapsedMs: () => 1,
    },
  );
  return { exitCode, ...output };
}

test.each(MODULES)('$name finds the ports and the file of the official image', ({ environment, ports }) => {
  const settings = readSettings({}, { ...ownVariables, ...environment });
  expect(settings).toMatchObject({
    host: '0.0.0.0',
    port: 5672,
    httpPort: 5300,
    dataDirectory: undefined,
    warnings: [],
    certificateDirectory: resolve('/data/certificates'),
  });
  expect(exposed).toEqual(expect.arrayContaining([...ports]));
  expect(MOUNTED_CONFIG_FILE).toBe(CONFIG_PATH);
  expect(dockerfile).toContain(`mkdir -p ${dirname(CONFIG_PATH)} /data `);
});

test.each(MODULES)(
  '$name gets health, the entities of the mounted file, and one line that it waits for',
  async ({ environment, ready }) => {
    const { exitCode, stdout, stderr } = await runImage(environment, async ({ httpPort }) => {
      const at = `http://127.0.0.1:${httpPort}`;
      expect((await fetch(`${at}/health`)).status).toBe(200);
      const headers = { authorization: 'SharedAccessSignature any' };
      const queues = await (await fetch(`${at}/$Resources/queues`, { headers })).text();
      expect(queues.match(/(?<=<entry .*<title type="text">)[^<]+/g)).toEqual(['from-the-file']);
    });
    // But for the token of this test, there is nothing to warn of.
    expect(stderr.match(/⚠ (?!A client was accepted with a token).*/)).toBeNull();
    expect(exitCode, stderr).toBe(0);
    expectReady(stdout, ready);
  },
);

test.each(MODULES.filter(({ ready }) => ready !== undefined))(
  '$name gets the line that it waits for also as JSON',
  async ({ environment, ready }) => {
    const { stdout } = await runImage({ ...environment, JITNEY_LOG_FORMAT: 'json' }, async () => {});
    expectReady(stdout, ready);
  },
);

function expectReady(stdout: string, ready: Module['ready']): void {
  if (ready === undefined) return;
  const texts = 'line' in ready ? stdout.split('\n') : [stdout];
  const pattern = 'line' in ready ? ready.line : ready.output;
  expect(texts.filter((text) => pattern.test(text))).toHaveLength(1);
}
