// A data directory keeps topics, subscriptions, rules and the copies of messages, also when the process is killed.

import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callControl } from './support/control.js';
import { Jitney } from './support/jitney.js';
import { bodyOf, connect, numberOf, only, receiveOne, takeAll, takeAllOf } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const HOUR = 3_600_000;
const CONFIG = {
  UserConfig: {
    Namespaces: [
      {
        Name: 'sbemulatorns',
        Queues: [{ Name: 'archive', Properties: {} }],
        Topics: [
          {
            Name: 'events',
            Properties: {},
            Subscriptions: [
              { Name: 'all', Properties: {} },
              { Name: 'steered', Properties: {} },
              { Name: 'archived', Properties: { ForwardTo: 'archive' } },
            ],
          },
        ],
      },
    ],
  },
};

test('after kill -9 a topic has its subscriptions, their rules, their messages and its scheduled messages [SND-01, TOP-01, TOP-14, SCH-08, FWD-05]', async () => {
  await using directory = await temporaryDirectory();
  const configFile = `${directory.path}/Config.json`;
  await writeFile(configFile, JSON.stringify(CONFIG));
  const dataDirectory = `${directory.path}/data`;
  const extraArguments = ['--config', configFile, '--clock', 'virtual'];
  const start = () => Jitney.start({ dataDirectory, extraArguments });

  const before = await start();
  const firstClient = connect(before.connectionString);
  const rules = firstClient.createRuleManager('events', 'steered');
  await rules.createRule('red', { sqlExpression: "color = 'red'" }, { sqlExpression: 'SET marked = TRUE' });
  await rules.deleteRule('$Default');
  const sender = firstClient.createSender('events');
  for (const color of ['red', 'blue']) {
    await sender.sendMessages({ body: color, applicationProperties: { color } });
  }
  const due = new Date(Date.now() + HOUR);
  const applicationProperties = { color: 'red' };
  await sender.scheduleMessages({ body: 'later', applicationProperties }, due);
  const receiver = firstClient.createReceiver('events', 'all');
  const completed = await receiveOne(receiver);
  await receiver.completeMessage(completed);
  await before.killNine();
  await firstClient.close();

  await using after = await start();
  await using client = connect(after.connectionString);
  const names: string[] = [];
  for await (const { name } of client.createRuleManager('events', 'steered').listRules()) names.push(name);
  expect(names).toEqual(['red']);
  expect((await takeAllOf(client, ['events', 'all'])).map(bodyOf)).toEqual(['blue']);
  expect(only(await takeAllOf(client, ['events', 'steered']))).toMatchObject({
    body: 'red',
    applicationProperties: { color: 'red', marked: true, RuleName: 'red' },
  });
  expect((await takeAll(client, 'archive')).map(bodyOf)).toEqual(['red', 'blue']);

  await callControl(after, 'clock:advance', { by: 'PT1H' });
  const later = await receiveOne(client.createReceiver('events', 'steered'));
  expect([later.body, numberOf(later)]).toEqual(['later', 2]);
  expect(later.applicationProperties).toMatchObject({ marked: true, RuleName: 'red' });
  expect((await takeAllOf(client, ['events', 'all'])).map(bodyOf)).toEqual(['later']);
});
