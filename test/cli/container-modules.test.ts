// The contract between the image and the tools made for the official emulator's: variables, ports, place of Config.json, ready line.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatBanner } from '../../src/cli/banner.js';
import { MOUNTED_CONFIG_FILE, withConfigFile } from '../../src/cli/config-choice.js';
import { collectEntities } from '../../src/config/configured-entities.js';
import { formatConnectionString } from '../../src/config/connection-string.js';
import { readSettings } from '../../src/config/settings.js';

type Module = {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  /** As the module applies it: to one line of the output, or to all of it. */
  readonly ready?: { readonly line: RegExp } | { readonly output: RegExp };
};

const CONFIG_PATH = '/ServiceBus_Emulator/ConfigFiles/Config.json';
const BOTH_PORTS = [5672, 5300];

/** Each as its source of that version has it. */
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

const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
const ownVariables = Object.fromEntries(
  Array.from(dockerfile.matchAll(/(JITNEY_\w+)=(\S+)/g), ([, name = '', value]) => [name, value]),
);

test.each(MODULES)('$name starts the image as it starts the official one', (module) => {
  const settings = readSettings({}, { ...ownVariables, ...module.environment });
  expect(settings).toMatchObject({ host: '0.0.0.0', port: 5672, httpPort: 5300, warnings: [] });
  expect(
    dockerfile
      .match(/^EXPOSE (.*)$/m)?.[1]
      ?.split(' ')
      .map(Number),
  ).toEqual(expect.arrayContaining([...module.ports]));
  expect(MOUNTED_CONFIG_FILE).toBe(CONFIG_PATH);
  expect(withConfigFile(settings, MOUNTED_CONFIG_FILE).configFile).toBe(CONFIG_PATH);
  expect(dockerfile).toContain(`mkdir -p ${CONFIG_PATH.slice(0, CONFIG_PATH.lastIndexOf('/'))} `);
});

const waiting = MODULES.flatMap(({ name, ready }) => (ready === undefined ? [] : [{ name, ready }]));

test.each(waiting)('$name finds the line it waits for, once', async ({ ready }) => {
  const settings = readSettings({}, ownVariables);
  const { host, port } = settings;
  const output = formatBanner({
    version: '1.2.3',
    emulator: {
      connectionString: formatConnectionString(host, port),
      host,
      port,
      httpPort: 5300,
      tlsPort: undefined,
      httpsPort: undefined,
      kept: { queues: [], topics: [] },
    },
    settings,
    configured: await collectEntities({}),
    elapsedMs: 1,
  });
  const texts = 'line' in ready ? output.split('\n') : [output];
  const pattern = 'line' in ready ? ready.line : ready.output;
  expect(texts.filter((text) => pattern.test(text))).toHaveLength(1);
});
