// Config.json: what is taken from it, and where in the file each mistake is pointed out.

import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeAuthorizationRule } from '../../src/broker/contract/entities/authorization-rule.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { readConfigFile } from '../../src/config/config-text.js';
import { whyUnreadable } from '../../src/config/why-unreadable.js';
import type { JitneyError } from '../../src/jitney-error.js';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-config-'));
  file = join(directory, 'Config.json');
});
afterAll(() => rmSync(directory, { recursive: true }));

function read(text: string) {
  writeFileSync(file, text);
  return readConfigFile(file);
}

/** A file with these queues, from line 4 on. */
function withQueues(queues: string): string {
  return `{\n "UserConfig": {\n  "Namespaces": [{ "Name": "sbemulatorns", "Queues": [\n${queues}\n  ]}]\n }\n}\n`;
}

async function mistakesOf(text: string): Promise<readonly string[]> {
  const error: JitneyError = await read(text).then(
    () => Promise.reject(new Error('The file was taken')),
    (reason) => reason,
  );
  expect(error).toMatchObject({ name: 'JitneyError', kind: 'config-file-invalid' });
  return error.problems.map((problem) => problem.replace(`${file}:`, ''));
}

test('a queue that only has a name gets the defaults of the official emulator', async () => {
  const { queues, warnings } = await read(withQueues('{ "Name": "orders" }'));
  const officialDefaults = {
    maxDeliveryCount: 3,
    defaultMessageTimeToLiveMs: 3_600_000,
    lockDurationMs: 60_000,
    duplicateDetectionHistoryTimeWindowMs: 20_000,
  };
  expect(queues).toEqual([describeQueue('orders', officialDefaults)]);
  expect(warnings).toEqual([]);
});

test('all properties of the schema and those it lacks are taken', async () => {
  const { queues } = await read(
    withQueues(`{ "Name": "orders", "Properties": {
      "DeadLetteringOnMessageExpiration": true,
      "DefaultMessageTimeToLive": "PT30M",
      "DuplicateDetectionHistoryTimeWindow": "PT5S",
      "ForwardDeadLetteredMessagesTo": "",
      "ForwardTo": "audit",
      "LockDuration": "PT5S",
      "MaxDeliveryCount": 7,
      "RequiresDuplicateDetection": true,
      "RequiresSession": true,
      "AutoDeleteOnIdle": "PT5M",
      "EnablePartitioning": true,
      "EnableBatchedOperations": false,
      "EnableExpress": true,
      "MaxMessageSizeInKilobytes": 100,
      "MaxSizeInMegabytes": 5120,
      "Status": "ReceiveDisabled",
      "UserMetadata": "mine",
      "AuthorizationRules": [{ "KeyName": "sender", "Rights": ["Send"], "PrimaryKey": "secret" }]
    } }`),
  );
  const expected = {
    name: 'orders',
    deadLetteringOnMessageExpiration: true,
    defaultMessageTimeToLiveMs: 1_800_000,
    duplicateDetectionHistoryTimeWindowMs: 5_000,
    forwardDeadLetteredMessagesTo: undefined,
    forwardTo: 'audit',
    lockDurationMs: 5_000,
    maxDeliveryCount: 7,
    requiresDuplicateDetection: true,
    requiresSession: true,
    autoDeleteOnIdleMs: 300_000,
    enablePartitioning: true,
    enableBatchedOperations: false,
    enableExpress: true,
    maxMessageSizeInKilobytes: 100,
    maxSizeInMegabytes: 5120,
    status: 'ReceiveDisabled',
    userMetadata: 'mine',
    authorizationRules: [describeAuthorizationRule('sender', { rights: ['Send'], primaryKey: 'secret' })],
    otherProperties: undefined,
  };
  expect(queues).toEqual([expected]);
});

test('comments, trailing commas and a byte order mark are allowed', async () => {
  const { queues } = await read(
    `\uFEFF// the queues of the shop\n${withQueues('{ "Name": "orders", /* more to come */ },')}`,
  );
  expect(queues.map(({ name }) => name)).toEqual(['orders']);
});

test('queues, topics, properties and logging may be missing or null', async () => {
  const empty = '{ "UserConfig": { "Namespaces": [{}] } }';
  expect(await read(empty)).toMatchObject({ queues: [], warnings: [] });
  const nulls =
    '{ "UserConfig": { "Namespaces": [{ "Name": null, "Queues": null, "Topics": null }], "Logging": null } }';
  expect(await read(nulls)).toMatchObject({ queues: [], warnings: [] });
  const { queues } = await read(
    withQueues('{ "Name": "a", "Properties": null }, { "Name": "b", "Properties": { "ForwardTo": null } }'),
  );
  expect(queues.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('the caps of the official emulator are not enforced', async () => {
  const many = Array.from({ length: 60 }, (_, index) => `{ "Name": "queue.${index}" }`);
  const generous =
    '{ "Name": "orders", "Properties": { "MaxDeliveryCount": 2000, "DefaultMessageTimeToLive": "P14D" } }';
  const { queues } = await read(withQueues([...many, generous].join(',')));
  expect(queues).toHaveLength(61);
  expect(queues[60]).toMatchObject({ maxDeliveryCount: 2000, defaultMessageTimeToLiveMs: 1_209_600_000 });
});

test('any name of the namespace will do', async () => {
  expect((await read('{ "UserConfig": { "Namespaces": [{ "Name": "my-resource" }] } }')).warnings).toEqual(
    [],
  );
});

test('all bad values are listed at once, each with its line, column and path', async () => {
  const queue = 'UserConfig.Namespaces[0].Queues[0]';
  expect(
    await mistakesOf(
      withQueues(`{ "Name": "a b", "Properties": {
    "LockDuration": "PT10M",
    "MaxDeliveryCount": "3",
    "RequiresSession": "true",
    "DefaultMessageTimeToLive": 360,
    "ForwardTo": 5
} }, 7`),
    ),
  ).toEqual(
    [
      `4:3  ${queue}.Name must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, not "a b"`,
      `5:5  ${queue}.Properties.LockDuration must be at most PT5M, not "PT10M"`,
      `6:5  ${queue}.Properties.MaxDeliveryCount must be a whole number from 1 to 2147483647, not "3"`,
      `7:5  ${queue}.Properties.RequiresSession must be true or false, not "true"`,
      `8:5  ${queue}.Properties.DefaultMessageTimeToLive must be at least PT1S, not 360`,
      `9:5  ${queue}.Properties.ForwardTo must be a text, not 5`,
      '10:6  UserConfig.Namespaces[0].Queues[1] must be an object, not 7',
    ].sort(byPosition),
  );
});

function byPosition(a: string, b: string): number {
  return Number.parseFloat(a.replace(':', '.')) - Number.parseFloat(b.replace(':', '.'));
}

test('a queue without a name is pointed out where it starts', async () => {
  expect(await mistakesOf(withQueues('  { "Properties": {} }'))).toEqual([
    '4:3  UserConfig.Namespaces[0].Queues[0].Name is missing: give it one',
  ]);
});

test('a queue that is named twice, in whatever case, is refused [ENT-02]', async () => {
  expect(await mistakesOf(withQueues('{ "Name": "orders" },\n{ "Name": "Orders" }'))).toEqual([
    '5:3  UserConfig.Namespaces[0].Queues[1].Name repeats the name "Orders" of Queues[0]: give it another name (case does not count)',
  ]);
});

test('a list where an object is expected, and the reverse, are refused', async () => {
  expect(await mistakesOf('[]')).toEqual(['1:1  the file must be an object, not []']);
  expect(await mistakesOf('{ "UserConfig": { "Namespaces": {} } }')).toEqual([
    '1:19  UserConfig.Namespaces must be a list, not {}',
  ]);
});

test('a file of another kind is refused for what it lacks', async () => {
  expect(await mistakesOf('{ "queues": [] }')).toEqual([
    '1:1  UserConfig is missing: put everything in it: { "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "orders" }] }] } }',
    "1:3  queues is not known (a warning). Did you mean 'Queues'?",
  ]);
});

test('there is at least one namespace', async () => {
  const message = '1:19  UserConfig.Namespaces must contain a namespace, and contains none';
  expect(await mistakesOf('{ "UserConfig": { "Namespaces": [] } }')).toEqual([message]);
});

test('"Entities" in place of queues and topics is refused with a suggestion', async () => {
  expect(await mistakesOf('{ "UserConfig": { "Namespaces": [{ "Entities": [{ "Name": "a" }] }] } }')).toEqual(
    [
      '1:36  UserConfig.Namespaces[0].Entities is not read: give queues under "Queues" and topics under "Topics"',
    ],
  );
});

test('a key that is given twice is refused, because JSON would drop the first one in silence', async () => {
  expect(
    await mistakesOf('{ "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "a" }], "Queues": [] }] } }'),
  ).toEqual(['1:36  UserConfig.Namespaces[0].Queues is given more than once: put all of it into one']);
});

test('unknown keys are warned about at their place, with the known key that is near', async () => {
  const { queues, warnings } = await read(
    withQueues(
      '{ "Name": "orders", "Propertys": {}, "Properties": {\n  "LockDurtion": "PT5S", "Colour": "red" } }',
    ),
  );
  expect(queues.map(({ name }) => name)).toEqual(['orders']);
  const queue = 'UserConfig.Namespaces[0].Queues[0]';
  expect([...warnings].sort()).toEqual(
    [
      `${file}:5:3  ${queue}.Properties.LockDurtion is not known and was ignored. Did you mean 'LockDuration'?`,
      `${file}:5:26  ${queue}.Properties.Colour is not known and was ignored.`,
      `${file}:4:21  ${queue}.Propertys is not known and was ignored. Did you mean 'Properties'?`,
    ].sort(),
  );
});

test('a key in the wrong case is one of them: what it says is ignored', async () => {
  const { queues, warnings } = await read(
    withQueues('{ "Name": "orders", "Properties": {\n  "REQUIRESSESSION": true } }'),
  );
  expect(queues).toMatchObject([{ requiresSession: false }]);
  expect(warnings).toEqual([
    `${file}:5:3  UserConfig.Namespaces[0].Queues[0].Properties.REQUIRESSESSION is not known and was ignored. Did you mean 'RequiresSession'?`,
  ]);
});

test('a property may have the name that it has in code, and a duration may be milliseconds', async () => {
  const { queues, warnings, locations } = await read(
    withQueues('{ "Name": "a", "Properties": { "lockDuration": "PT5S", "AutoDeleteOnIdle": 300000 } }'),
  );
  expect(warnings).toEqual([]);
  expect(queues).toMatchObject([{ lockDurationMs: 5000, autoDeleteOnIdleMs: 300_000 }]);
  expect(locations.positionOf({ name: 'a' }, 'lockDuration')).toBe(`${file}:4:32`);
});

test('a property that has both names is an error, and null is neither', async () => {
  const mistakes = await mistakesOf(
    withQueues('{ "Name": "a", "Properties": { "lockDuration": "PT5S", "LockDuration": "PT5S" } }'),
  );
  expect(mistakes).toEqual([
    '4:32  UserConfig.Namespaces[0].Queues[0].Properties.lockDuration is given as LockDuration, too: give one of them',
  ]);
  const { queues } = await read(
    withQueues('{ "Name": "a", "Properties": { "lockDuration": "PT5S", "LockDuration": null } }'),
  );
  expect(queues).toMatchObject([{ lockDurationMs: 5000 }]);
});

test('where a property of a queue stands can be asked for, and where the queue does that is without it [ENT-02]', async () => {
  const { locations } = await read(
    withQueues('{ "Name": "a" },\n { "Name": "b", "Properties": {\n   "RequiresSession": true } }'),
  );
  const property = 'requiresSession';
  expect(locations.locationOf({ entity: { name: 'B' }, property })).toBe(
    `${file}:6:4  UserConfig.Namespaces[0].Queues[1].Properties.RequiresSession`,
  );
  expect(locations.locationOf({ entity: { name: 'a' }, property })).toBe(
    `${file}:4:1  UserConfig.Namespaces[0].Queues[0]`,
  );
  expect(locations.locationOf({ entity: { name: 'c' }, property })).toBeUndefined();
});

test('text that is not JSON is refused at the place where it goes wrong', async () => {
  expect(await mistakesOf('{\n  "UserConfig" {} }')).toEqual(['2:16  not JSON: colon expected, found {']);
  expect(await mistakesOf('')).toEqual(['1:1  not JSON: value expected, the text ends']);
});

test('the message of a bad file names the file and counts its problems', async () => {
  await expect(read('[]')).rejects.toThrow(`The config file ${file} has a problem`);
  await expect(read(withQueues('1, 2'))).rejects.toThrow(`The config file ${file} has 2 problems`);
});

test('an unknown key in a bad file is counted as a warning, without the words that it was ignored', async () => {
  const refused = read(withQueues('{ "Colour": "red" }'));
  await expect(refused).rejects.toMatchObject({
    message: `The config file ${file} has a problem and a warning`,
    problems: [
      `${file}:4:1  UserConfig.Namespaces[0].Queues[0].Name is missing: give it one`,
      `${file}:4:3  UserConfig.Namespaces[0].Queues[0].Colour is not known (a warning).`,
    ],
  });
  await expect(read(withQueues('1, 2, { "Name": "a", "B": 1, "LockDuration": 2 }'))).rejects.toMatchObject({
    message: `The config file ${file} has 2 problems and 2 warnings`,
    problems: expect.arrayContaining([
      expect.stringMatching(/\.LockDuration means nothing here \(a warning\)\.$/),
    ]),
  });
});

test.each([
  ['little', (bytes: Buffer) => bytes],
  ['big', (bytes: Buffer) => bytes.swap16()],
])('a file in UTF-16, %s end first, as PowerShell writes it, is read like any other', async (_, inOrder) => {
  const text = withQueues('{ "Name": "a", "Properties": { "UserMetadata": "für später €" } }, 7');
  writeFileSync(file, inOrder(Buffer.from(`\uFEFF${text}`, 'utf16le')));
  await expect(readConfigFile(file)).rejects.toMatchObject({
    problems: [`${file}:4:68  UserConfig.Namespaces[0].Queues[1] must be an object, not 7`],
  });
  writeFileSync(file, inOrder(Buffer.from(`\uFEFF${text.replace(', 7', '')}`, 'utf16le')));
  const { queues } = await readConfigFile(file);
  expect(queues).toMatchObject([{ name: 'a', userMetadata: 'für später €' }]);
});

test('a file that is not there is said to be so', async () => {
  const missing = join(directory, 'nowhere.json');
  await expect(readConfigFile(missing)).rejects.toThrow(
    `Cannot read the config file ${missing}: there is no such file`,
  );
  await expect(readConfigFile(missing)).rejects.toMatchObject({ kind: 'config-file-unreadable' });
});

test('of a relative path the message also says where the file was looked for', async () => {
  await expect(readConfigFile('../nowhere/Config.json')).rejects.toThrow(
    `Cannot read the config file ../nowhere/Config.json (${resolve('../nowhere/Config.json')}): there is no such file`,
  );
});

test('a directory in place of the file is said to be one', async () => {
  await expect(readConfigFile(directory)).rejects.toThrow(
    `Cannot read the config file ${directory}: it is a directory`,
  );
});

// Windows has neither user ids nor modes.
test.skipIf(process.platform === 'win32')(
  'a file that may not be read is said to be so, with its mode, its owner and the remedy',
  async () => {
    writeFileSync(file, '{}');
    chmodSync(file, 0o600);
    const denied = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    expect(await whyUnreadable(file, denied)).toBe(
      `uid ${process.getuid?.()} may not read it, it has mode 600 and uid ${statSync(file).uid}. Try: chmod a+r ${file}`,
    );
  },
);
