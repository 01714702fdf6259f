// A subscription's rules as programs manage them, with the SDK's rule manager on a topic that is there already.

import type { RuleProperties, ServiceBusRuleManager } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emulator } from '../src/emulator.js';
import { importBuiltPackage } from './support/built-package.js';
import { bodyOf, type ClosingClient, connect, takeAllOf } from './support/service-bus.js';

const DEFAULT_RULE = '$Default';
const SUBSCRIPTIONS = ['sample', 'steered', 'refusing', 'crowded', 'cased'];

let emulator: Emulator;
let client: ClosingClient;

beforeAll(async () => {
  const { startEmulator } = await importBuiltPackage();
  emulator = await startEmulator({ topics: [{ name: 'topic', subscriptions: SUBSCRIPTIONS }] });
  client = connect(emulator.connectionString);
});

afterAll(async () => {
  await client.close();
  await emulator.stop();
});

async function rulesOf(manager: ServiceBusRuleManager): Promise<RuleProperties[]> {
  const rules: RuleProperties[] = [];
  for await (const rule of manager.listRules()) rules.push(rule);
  return rules;
}

async function namesOf(manager: ServiceBusRuleManager): Promise<string[]> {
  return (await rulesOf(manager)).map(({ name }) => name);
}

describe.concurrent('the rule manager', () => {
  test('adds rules, lists them by name and by page, and removes them, as its sample does [TOP-02, TOP-11]', async () => {
    const manager = client.createRuleManager('topic', 'sample');
    expect(await rulesOf(manager)).toEqual([
      expect.objectContaining({
        name: DEFAULT_RULE,
        filter: expect.objectContaining({ sqlExpression: '1=1' }),
      }),
    ]);
    const correlation = {
      correlationId: 'correlationId',
      subject: 'label',
      messageId: 'messageId',
      to: 'to',
      replyTo: 'replyTo',
      replyToSessionId: 'replyToSessionId',
      sessionId: 'sessionId',
      applicationProperties: { key1: 'value1', key2: 2, key3: true, key4: new Date('01/01/2000') },
    };
    await manager.createRule('sqlRule', { sqlExpression: 'price > 10' });
    await manager.createRule('correlationRule', correlation);

    expect(await rulesOf(manager)).toMatchObject([
      { name: DEFAULT_RULE },
      { name: 'correlationRule', filter: correlation },
      { name: 'sqlRule', filter: { sqlExpression: 'price > 10' } },
    ]);
    const pages: string[][] = [];
    for await (const page of manager.listRules().byPage({ maxPageSize: 2 })) {
      pages.push(page.map(({ name }) => name));
    }
    expect(pages).toEqual([[DEFAULT_RULE, 'correlationRule'], ['sqlRule']]);

    await manager.deleteRule('sqlRule');
    await manager.deleteRule('correlationRule');
    expect(await namesOf(manager)).toEqual([DEFAULT_RULE]);
  });

  test('decides which later messages a subscription gets [TOP-05, TOP-06, TOP-08]', async () => {
    const manager = client.createRuleManager('topic', 'steered');
    const sender = client.createSender('topic');
    const send = (body: string, color: string) =>
      sender.sendMessages({ body, subject: 'steered', applicationProperties: { color } });
    const take = async () => {
      const messages = await takeAllOf(client, ['topic', 'steered']);
      return messages.filter(({ subject }) => subject === 'steered').map(bodyOf);
    };

    await manager.createRule(
      'red',
      { sqlExpression: "color = 'red'" },
      { sqlExpression: "SET sys.To = 'x'" },
    );
    await send('both rules', 'red');
    expect(await take()).toEqual(['both rules', 'both rules']);

    await manager.deleteRule(DEFAULT_RULE);
    await send('red alone', 'red');
    await send('blue', 'blue');
    expect(await take()).toEqual(['red alone']);

    await manager.deleteRule('red');
    await send('nobody waits', 'red');
    expect(await take()).toEqual([]);
  });

  test('gets an error that says what is wrong with a rule, and the rules stay [TOP-11, SQL-23]', async () => {
    const manager = client.createRuleManager('topic', 'refusing');
    await manager.createRule('once', { sqlExpression: 'a = 1' });

    await expect(manager.createRule('ONCE', { sqlExpression: 'a = 2' })).rejects.toMatchObject({
      code: 'MessagingEntityAlreadyExists',
    });
    await expect(manager.deleteRule('missing')).rejects.toMatchObject({ code: 'MessagingEntityNotFound' });
    await expect(manager.createRule('bad', { sqlExpression: 'color = = 1' })).rejects.toThrow(
      /line 1, column 9/i,
    );
    await expect(manager.createRule('unknown', { sqlExpression: 'sys.NoSuchThing = 1' })).rejects.toThrow(
      /NoSuchThing/,
    );
    await expect(manager.createRule('x'.repeat(51), { sqlExpression: '1=1' })).rejects.toThrow();
    expect(await namesOf(manager)).toEqual([DEFAULT_RULE, 'once']);
  });
});
