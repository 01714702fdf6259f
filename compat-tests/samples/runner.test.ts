// The samples runner itself, with stand-ins of our own for the official programs.

import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_THOROUGH } from '../../test/support/thorough.js';
import { RunningProcess } from '../support/running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js';
import { selectSamples } from './command-line.js';
import { ELEVENTH_MESSAGE, TEN_MESSAGES } from './expectation.js';
import { runSamples } from './run-samples.js';

const RUNNER = fileURLToPath(new URL('./run.ts', import.meta.url));
const LIMIT_MS = 100_000;
/** A client, and the sender and a receiver of the queue, for what the program does with them. */
function onQueue(work: string): string {
  return `
  const { ServiceBusAdministrationClient, ServiceBusClient } = require('@azure/service-bus');
  require('dotenv').config();
  (async () => {
    const connectionString = process.env.SERVICEBUS_CONNECTION_STRING;
    const queue = process.env.QUEUE_NAME;
    const client = new ServiceBusClient(connectionString);
    const sender = client.createSender(queue);
    ${work}
    console.log('Done sending');
    await client.close();
  })();`;
}
function sendAll(messages: readonly unknown[]): string {
  return onQueue(`await sender.sendMessages(${JSON.stringify(messages)});`);
}
const FORGET_QUEUE = onQueue(`
  await new ServiceBusAdministrationClient(connectionString).createQueue('forgotten');`);
/** Says what the official sample says, as the service answers it. */
const ADMINISTER = onQueue(`
  const admin = new ServiceBusAdministrationClient(connectionString);
  console.log('Created queue with name - ', (await admin.createQueue(queue)).name);
  const properties = await admin.getQueue(queue);
  console.log('(Current)max delivery count = ', properties.maxDeliveryCount);
  const updated = await admin.updateQueue({ ...properties, maxDeliveryCount: 12 });
  console.log('(Updated)max delivery count = ', updated.maxDeliveryCount);
  const { totalMessageCount } = await admin.getQueueRuntimeProperties(queue);
  console.log('Number of messages in the queue = ', totalMessageCount);
  console.log('Name of the namespace - ', (await admin.getNamespaceProperties()).name);
  await admin.deleteQueue(queue);
  console.log('Queue ' + queue + ' has been deleted');`);
/** As who has its token or key from that. */
function sendAs(credential: string, body: string): string {
  return `
  const { AzureNamedKeyCredential } = require('@azure/core-auth');
  const { DefaultAzureCredential } = require('@azure/identity');
  const { ServiceBusClient } = require('@azure/service-bus');
  (async () => {
    const retryOptions = { maxRetries: 0 };
    const client = new ServiceBusClient(process.env.SERVICEBUS_FQDN, ${credential}, { retryOptions });
    await client.createSender(process.env.QUEUE_NAME).sendMessages({ body: '${body}' });
    await client.close();
  })();`;
}
/** Takes what it finds in the sessions, says what the official sample says, and does not end. */
const ROUND_ROBIN = `
  const { ServiceBusClient } = require('@azure/service-bus');
  (async () => {
    const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
    for (;;) {
      const receiver = await client.acceptNextSession(process.env.QUEUE_NAME_WITH_SESSIONS);
      console.log('[' + receiver.sessionId + '] will start processing...');
      for (const message of await receiver.receiveMessages(3)) {
        console.log('[' + receiver.sessionId + '] received message with body ' + message.body);
        await receiver.completeMessage(message);
      }
      await receiver.close();
      console.log('[' + receiver.sessionId + '] was closed because of idle_timeout');
    }
  })();`;
const COMPLAIN = `console.log('nothing works'); process.exit(3);`;
const BOAST = `console.log('everything works');`;

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

/** A folder as that of the official samples, with these in it. */
async function folderOf(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = `${directory.path}/${randomUUID()}`;
  for (const [file, text] of Object.entries(programs)) {
    const path = `${folder}/${file.endsWith('.ts') ? 'typescript/src' : 'javascript'}/${file}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return folder;
}

/** By the name of the file. */
function faultsIn(output: string): Record<string, string> {
  return Object.fromEntries(
    [...output.matchAll(/^(\S+) .* FAILED: (.+)$/gm)].map(([, file = '', fault = '']) => [file, fault]),
  );
}

describe('npm run samples', () => {
  test.runIf(IS_THOROUGH)(
    'runs what it knows as each generation of the SDK and each login need it, past the proxy of the machine, and stops what runs for ever',
    async () => {
      const folder = await folderOf({
        'advanced/administrationClient.js': ADMINISTER,
        'advanced/sessionRoundRobin.js': ROUND_ROBIN,
        'usingAadAuth.js': sendAs('new DefaultAzureCredential()', 'using AAD auth sample message'),
      });
      const proxy = 'http://127.0.0.1:9';
      const runner = new RunningProcess(['--import', 'tsx', RUNNER, '--from', folder], {
        env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, NO_PROXY: '' },
      });
      const exit = await runner.endedWithin(LIMIT_MS);

      expect(runner.output).toMatch(
        /^advanced\/administrationClient\.js +7\.9\.5 +any +0 +[\d.]+ s +passed$/m,
      );
      expect(runner.output).toMatch(/^advanced\/administrationClient\.js +7\.10\.0-\S+ +any +0 .* passed$/m);
      expect(runner.output).toMatch(/^advanced\/sessionRoundRobin\.js +7\.9\.5 +any +none .* passed$/m);
      expect(runner.output).toMatch(/^usingAadAuth\.js +7\.9\.5 +any +0 .* passed$/m);
      expect(runner.output).toMatch(/^usingAadAuth\.js +7\.9\.5 +strict +0 .* passed$/m);
      expect(exit?.code).toBe(0);
    },
  );

  test('fails for wrong bodies, for messages and queues left over, for a bad end and for an unknown sample', async () => {
    const folder = await folderOf({
      'batchDeleteMessages.js': COMPLAIN,
      'deleteMessages.js': '// purgeResult.deletedCount',
      'exceedMaxDeliveryCount.js': BOAST,
      'novel.js': COMPLAIN,
      'sendMessages.js': FORGET_QUEUE,
      'sendMessages.ts': sendAll([...TEN_MESSAGES, { ...ELEVENTH_MESSAGE, body: 'somebody' }]),
      'useProxy.js': sendAll([{ body: 'sample message' }]),
      'usingNamedKeyCredential.js': sendAs(
        "new AzureNamedKeyCredential('RootManageSharedAccessKey', 'wrong')",
        'using AzureNamedKeyCredential sample message',
      ),
    });
    const lines: string[] = [];
    expect(await runSamples(['--from', folder], (text) => lines.push(text))).toBe(1);
    const output = lines.join('\n');

    expect(faultsIn(output)).toEqual({
      'exceedMaxDeliveryCount.js': expect.stringMatching(
        /^never held all .* the dead-letter queue of samples-queue holds 0 messages instead of 11$/,
      ),
      'sendMessages.js':
        'left the queues forgotten, samples-queue, samples-queue-with-sessions instead of samples-queue, samples-queue-with-sessions',
      'sendMessages.ts': expect.stringMatching(
        /^samples-queue holds, as message 11, \{ body: 'somebody'.* instead of \{ body: \{ firstName: 'Albert'/,
      ),
      'useProxy.js': 'did not go through the proxy',
      'usingNamedKeyCredential.js': 'ended with exit code 1',
    });
    expect(output).toContain('  | everything works');
    expect(output).toMatch(/^batchDeleteMessages\.js .* waits for a published SDK that has batchDel/m);
    expect(output).toMatch(/^deleteMessages\.js .* waits for a published SDK whose deleteMessages takes/m);
    expect(output).toMatch(/^novel\.js +- +- +- +- +NOT KNOWN: /m);
    expect(output).toMatch(/^usingNamedKeyCredential\.js +7\.9\.5 +any +0 .* passed$/m);
    expect(output).toContain('1 passed, 5 failed, 2 wait for a published SDK, 1 not known');
  });

  test('says what is wrong with --from', () => {
    expect(() => selectSamples([])).toThrow('--from is missing');
    expect(() => selectSamples(['--from', `${directory.path}/nowhere`])).toThrow('there is no such folder');
    expect(() => selectSamples(['--from', directory.path])).toThrow("none of the SDK's samples is in it");
  });
});
