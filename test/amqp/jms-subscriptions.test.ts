// Consumers of topics on JMS 2.0 connections: which subscription a link means, how a second consumer is told, and how a program unsubscribes.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import type { Frame, FrameChannel } from '../support/frame-channel.js';
import {
  array,
  described,
  type Encoded,
  FALSE,
  list,
  map,
  str,
  sym,
  ubyte,
  uint,
  ulong,
} from '../support/frame-encoder.js';
import { conditionOf, receiverFields } from '../support/frame-fields.js';
import {
  attachSender,
  beginSession,
  detachLink,
  giveCredit,
  openSession,
  takeRefusal,
  takeText,
  writeDetach,
  writeMessage,
} from '../support/frame-links.js';
import { composite, type Fields, readList } from '../support/frame-lists.js';
import { dataSection, propertiesSection } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import {
  addressIn,
  attachConsumer,
  type ConsumerShape,
  openJms,
  openJmsSession,
} from '../support/jms-client.js';

let emulator: EmulatorUnderTest;
beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'], topics: ['t'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

function session(clientId?: string): Promise<FrameChannel> {
  return openJmsSession(emulator.connect(), clientId === undefined ? {} : { clientId });
}

async function names(topicName = 't'): Promise<readonly string[]> {
  const page = { skip: 0, maxCount: 100 };
  const result = await emulator.engine.ask({
    kind: 'list-entities',
    type: 'subscription',
    topicName,
    ...page,
  });
  return result.kind === 'entities' ? result.entities.map(({ description }) => description.name) : [];
}

async function publish(text: string, properties: Fields<'properties'> = {}): Promise<void> {
  const sender = await openSession(emulator.connect());
  await attachSender(sender, 0, 't');
  writeMessage(sender, 0, Buffer.concat([propertiesSection(properties), dataSection(text)]));
  await sender.take('disposition');
}

/** The filters of a source with a selector, as Qpid JMS writes them. */
function selecting(selector: string): Encoded {
  return map([[sym('jms-selector'), described(ulong(0x0000468c00000004n), str(selector))]]);
}

function filterIn(attach: Frame): string {
  return notation(readList(attach.field('source')).field('filter'));
}

const TOPIC = ['topic'];
const DURABLE = { name: 'billing', address: 't', capabilities: TOPIC, isDurable: true } as const;

describe('the link of a consumer', () => {
  test.each<[string, string | undefined, ConsumerShape, string | RegExp]>([
    ['durable', 'app', DURABLE, 'billing$app$D'],
    [
      'shared',
      'app',
      { ...DURABLE, isDurable: false, name: 'billing|volatile1', capabilities: ['topic', 'shared'] },
      'billing$app$ND',
    ],
    [
      'shared and global',
      undefined,
      {
        ...DURABLE,
        isDurable: false,
        name: 'billing|global-volatile1',
        capabilities: ['topic', 'shared', 'global'],
      },
      'billing$$ND',
    ],
    [
      'shared and durable',
      'app',
      { ...DURABLE, name: 'billing|2', capabilities: ['topic', 'shared'] },
      'billing$app$D',
    ],
    [
      'shared, durable and global',
      'app',
      { ...DURABLE, name: 'billing|global2', capabilities: ['topic', 'shared', 'global'] },
      'billing$$D',
    ],
    ['plain', 'app', { address: 't', capabilities: TOPIC }, /^[0-9a-f]{32}\$app\$ND$/],
    ['plain without a client id', undefined, { address: 't', capabilities: TOPIC }, /^[0-9a-f]{32}\$\$ND$/],
    ['plain without a capability', undefined, { address: 't' }, /^[0-9a-f]{32}\$\$ND$/],
  ])('that is %s means its subscription [JMS-08, JMS-15, JMS-50]', async (_, clientId, shape, name) => {
    const jms = await session(clientId);
    expect(addressIn(await attachConsumer(jms, 0, shape), 'source')).toBe('t');
    expect(await names()).toEqual([typeof name === 'string' ? name : expect.stringMatching(name)]);
    await publish('news');
    giveCredit(jms, 0, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'news', isSettled: false });
  });

  test('is listed and recorded at its subscription', async () => {
    emulator.activity.turnOn();
    const jms = await session('app');
    await attachConsumer(jms, 0, DURABLE);
    const path = 't/Subscriptions/billing$app$D';
    const [connection] = emulator.connections.list();
    expect(connection?.links).toMatchObject([{ role: 'receiver', path }]);
    await detachLink(jms, 0);
    const ofLinks = [...emulator.activity.since(0)].filter(({ kind }) => kind.startsWith('link-'));
    expect(ofLinks).toMatchObject([
      { kind: 'link-attached', path },
      { kind: 'link-detached', path },
    ]);
  });

  test('makes the topic as well [JMS-10]', async () => {
    const jms = await session();
    await attachConsumer(jms, 0, { ...DURABLE, address: 'made', clientId: undefined } as ConsumerShape);
    expect(await names('made')).toEqual(['billing$$D']);
  });

  test('that says copy and is durable consumes, and one that is not durable would browse a topic [JMS-38, JMS-39]', async () => {
    const jms = await session();
    await attachConsumer(jms, 0, DURABLE);
    await publish('news');
    giveCredit(jms, 0, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'news', lockedUntil: expect.any(Number) });
    await attachConsumer(jms, 1, { address: 't', capabilities: TOPIC, isCopy: true });
    expect(await takeRefusal(jms)).toMatchObject({
      condition: 'amqp:not-allowed',
      description: /is a topic/,
    });
  });

  test('of a second connection with the name of the first is told, and keeps nothing [JMS-50, JMS-52]', async () => {
    const jms = await session('app');
    await attachConsumer(jms, 0, DURABLE);
    const other = await session('app');
    expect(addressIn(await attachConsumer(other, 0, DURABLE), 'source')).toBeUndefined();
    expect(await takeRefusal(other)).toMatchObject({
      condition: 'amqp:not-allowed',
      description: expect.stringContaining('with an active consumer on the same or different topic.'),
    });
    await publish('news');
    giveCredit(jms, 0, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'news' });
  });

  test('that is detached leaves a durable subscription with its messages, and no other [JMS-32, JMS-57, JMS-58]', async () => {
    const jms = await session('app');
    await attachConsumer(jms, 0, DURABLE);
    await attachConsumer(jms, 1, { address: 't', capabilities: TOPIC });
    await publish('news');
    giveCredit(jms, 0, 1);
    await takeText(jms);
    jms.send('detach', { handle: uint(0), closed: FALSE });
    await jms.take('detach');
    await detachLink(jms, 1);
    expect(await names()).toEqual(['billing$app$D']);
    await attachConsumer(jms, 2, DURABLE);
    giveCredit(jms, 2, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'news', deliveryCount: 0 });
  });

  test.each(['end', 'close'] as const)(
    'whose session or connection comes to its %s leaves a durable subscription with its messages [JMS-32, JMS-57]',
    async (kind) => {
      const client = await openJms(emulator.connect(), { clientId: 'app' });
      const jms = await beginSession(client);
      await attachConsumer(jms, 0, DURABLE);
      await publish('news');
      giveCredit(jms, 0, 1);
      await takeText(jms);
      if (kind === 'end') jms.send('end', {});
      else client.send('close', {});
      const other = await session('app');
      await attachConsumer(other, 0, DURABLE);
      giveCredit(other, 0, 1);
      expect(await takeText(other)).toMatchObject({ text: 'news', deliveryCount: 0 });
    },
  );

  test.each<[string, Fields<'source'>]>([
    ['durable', { durable: uint(2) }],
    ['to be kept for ever', { expiryPolicy: sym('never') }],
  ])('whose source is %s is durable [JMS-50]', async (_, fields) => {
    const jms = await session('app');
    const capabilities = array([sym('topic')]);
    const source = composite('source', { address: str('t'), capabilities, ...fields });
    jms.send('attach', receiverFields(0, { name: str('billing'), source }));
    await jms.take('attach');
    expect(await names()).toEqual(['billing$app$D']);
  });

  test.each([
    ['a client id', 'app', 'billing|volatile1', ['topic', 'shared']],
    ['none', undefined, 'billing|global-volatile1', ['topic', 'shared', 'global']],
  ])(
    'that is shared by connections with %s gets its part of the messages [JMS-53]',
    async (_, clientId, name, capabilities) => {
      const both = [await session(clientId), await session(clientId)];
      for (const jms of both) {
        await attachConsumer(jms, 0, { address: 't', name, capabilities });
        giveCredit(jms, 0, 1);
      }
      expect(await names()).toHaveLength(1);
      await publish('one');
      await publish('two');
      const texts = [];
      for (const jms of both) texts.push((await takeText(jms)).text);
      expect(texts).toEqual(['one', 'two']);
    },
  );

  test('with a selector has only what it takes, and the answer has the selector [JMS-18, JMS-80, JMS-81]', async () => {
    const jms = await session('app');
    const attach = await attachConsumer(jms, 0, { ...DURABLE, filter: selecting("JMSType = 'a'") });
    expect(filterIn(attach)).toContain(`"JMSType = 'a'"`);
    await publish('other', { subject: str('b') });
    await publish('wanted', { subject: str('a') });
    giveCredit(jms, 0, 10, { drain: true });
    expect(await takeText(jms)).toMatchObject({ text: 'wanted' });
    await jms.take('flow', (frame) => frame.field('drain')?.value === true);
    const entityPath = 't/Subscriptions/billing$app$D';
    expect(await emulator.engine.ask({ kind: 'get-entity', entityPath })).toMatchObject({
      entity: { counts: { active: 1 } },
    });
  });

  test('with another selector makes the subscription anew, and is refused while it has a consumer [JMS-56]', async () => {
    const jms = await session('app');
    await attachConsumer(jms, 0, { ...DURABLE, filter: selecting("JMSType = 'a'") });
    await publish('old', { subject: str('a') });
    const changed = { ...DURABLE, filter: selecting("JMSType IN ('a', 'b')") };
    const other = await session('app');
    expect(addressIn(await attachConsumer(other, 0, changed), 'source')).toBeUndefined();
    expect(await takeRefusal(other)).toMatchObject({
      condition: 'amqp:not-allowed',
      description: expect.stringContaining('with an active consumer on the same or different topic.'),
    });
    await detachLink(jms, 0);
    expect(filterIn(await attachConsumer(jms, 1, changed))).toContain(`"JMSType IN ('a', 'b')"`);
    await publish('new', { subject: str('b') });
    giveCredit(jms, 1, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'new' });
    await detachLink(jms, 1);
    expect(filterIn(await attachConsumer(jms, 2, DURABLE))).toMatch(/^(null|absent)$/);
    await publish('any');
    giveCredit(jms, 2, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'any' });
  });

  test('with a selector that cannot be parsed is refused, and makes nothing [JMS-85]', async () => {
    const jms = await session('app');
    await attachConsumer(jms, 0, { ...DURABLE, filter: selecting('JMSType =') });
    expect(await takeRefusal(jms)).toMatchObject({
      condition: 'amqp:invalid-field',
      description: expect.stringContaining('The selector is invalid at line 1, column 10'),
    });
    expect(await names()).toEqual([]);
  });

  test.each<[string, ConsumerShape]>([
    ['plain', { address: 't', capabilities: TOPIC }],
    ['shared', { ...DURABLE, capabilities: ['topic', 'shared'] }],
  ])('that is %s is refused on any other connection, with the library to use [JMS-02]', async (_, shape) => {
    const other = await openJmsSession(emulator.connect(), { isProvider: undefined });
    expect(addressIn(await attachConsumer(other, 0, shape), 'source')).toBeUndefined();
    expect(await takeRefusal(other)).toMatchObject({
      condition: 'amqp:not-implemented',
      description: expect.stringMatching(/createSharedConsumer.*azure-servicebus-jms/),
    });
  });
});

describe('a link without a source', () => {
  const HANDLE = 9;

  function unsubscribe(jms: FrameChannel, name: string, desired: readonly string[] = []): Promise<Frame> {
    const { source: _, ...sourceless } = receiverFields(HANDLE);
    const [first, ...others] = desired.map(sym);
    const desiredCapabilities = first === undefined ? {} : { desiredCapabilities: array([first, ...others]) };
    jms.send('attach', { ...sourceless, name: str(name), sndSettleMode: ubyte(0), ...desiredCapabilities });
    return jms.take('attach');
  }

  async function left(shape: ConsumerShape = DURABLE): Promise<FrameChannel> {
    const jms = await session('app');
    await attachConsumer(jms, 0, shape);
    await detachLink(jms, 0);
    return jms;
  }

  test('is answered with the source of the subscription, which is gone when the detach is answered [JMS-59]', async () => {
    const jms = await left();
    const source = readList((await unsubscribe(jms, 'billing')).field('source'));
    expect(notation(source.field('address'))).toBe('"t"');
    expect(notation(source.field('durable'))).toBe('uint 2');
    expect(notation(source.field('expiryPolicy'))).toBe("'never");
    expect(notation(source.field('distributionMode'))).toBe("'copy");
    expect(notation(source.field('capabilities'))).toBe("array ['topic]");
    expect(notation(source.field('filter'))).toMatch(/^(null|absent)$/);
    expect(await names()).toEqual(['billing$app$D']);
    writeDetach(jms, HANDLE);
    expect(conditionOf(await jms.take('detach'))).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  test('is answered with its selector [JMS-59]', async () => {
    const jms = await left({ ...DURABLE, filter: selecting("JMSType = 'a'") });
    const filter = filterIn(await unsubscribe(jms, 'billing'));
    expect(filter).toBe(`{'jms-selector: ulong 77567109365764("JMSType = 'a'")}`);
  });

  test('finds the shared one of no client id [JMS-59]', async () => {
    const jms = await left({
      ...DURABLE,
      name: 'billing|global',
      capabilities: ['topic', 'shared', 'global'],
    });
    const source = readList((await unsubscribe(jms, 'billing|global', ['shared', 'global'])).field('source'));
    expect(notation(source.field('capabilities'))).toBe("array ['topic, 'shared, 'global]");
    await detachLink(jms, HANDLE);
    expect(await names()).toEqual([]);
  });

  test('deletes nothing when it is detached without being closed [JMS-59]', async () => {
    const jms = await left();
    await unsubscribe(jms, 'billing');
    jms.send('detach', { handle: uint(HANDLE), closed: FALSE });
    await jms.take('detach');
    expect(await names()).toEqual(['billing$app$D']);
  });

  test('is told what hinders it, at the attach or at the detach [JMS-60]', async () => {
    const jms = await left();
    expect((await unsubscribe(jms, 'unknown')).field('source')?.type ?? 'null').toBe('null');
    expect(await takeRefusal(jms)).toMatchObject({ condition: 'amqp:not-found' });
    writeDetach(jms, HANDLE);
    await unsubscribe(jms, 'billing');
    await attachConsumer(await session('app'), 1, DURABLE);
    writeDetach(jms, HANDLE);
    expect(await takeRefusal(jms)).toMatchObject({ condition: 'amqp:not-allowed' });
    expect(addressIn(await unsubscribe(jms, 'billing'), 'source')).toBeUndefined();
    expect(await takeRefusal(jms)).toMatchObject({ condition: 'amqp:not-allowed' });
  });
});

test('noLocal is ignored and not in the answer [JMS-35]', async () => {
  const jms = await session('app');
  const filter = map([[sym('no-local'), described(ulong(0x0000468c00000003n), list([]))]]);
  const attach = await attachConsumer(jms, 0, { ...DURABLE, filter });
  expect(notation(readList(attach.field('source')).field('filter'))).toMatch(/^(null|absent|\{\})$/);
});
