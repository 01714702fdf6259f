// JMS 2.0 connections: which ones they are, what they are offered, what their links make, and what comes back when these go.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../support/emulator-under-test.js';
import type { FrameChannel } from '../support/frame-channel.js';
import {
  described,
  FALSE,
  list,
  map,
  smallUlong,
  str,
  sym,
  TRUE,
  uint,
  ulong,
} from '../support/frame-encoder.js';
import {
  conditionOf,
  descriptionOf,
  dispositionFields,
  receiverFields,
  senderFields,
} from '../support/frame-fields.js';
import {
  attachReceiver,
  attachSender,
  beginSession,
  detachLink,
  giveCredit,
  openSession,
  takeDisposition,
  takeRefusal,
  takeText,
  writeDetach,
  writeMessage,
} from '../support/frame-links.js';
import { composite, readList } from '../support/frame-lists.js';
import { dataSection, messageAnnotations, propertiesSection } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import {
  addressIn,
  attachConsumer,
  attachCreator,
  attachProducer,
  type JmsShape,
  openedBy,
  openJms,
  openJmsSession,
} from '../support/jms-client.js';
import { outcome } from '../support/link-client.js';

let emulator: EmulatorUnderTest;
beforeEach(() => open());
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function open(more: Partial<UnderTestOptions> = {}): Promise<void> {
  await emulator?.stop();
  emulator = await openEmulatorUnderTest({ queues: ['q'], topics: ['t'], ...more });
}

async function typeOf(entityPath: string): Promise<string | undefined> {
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath });
  return result.kind === 'entity-info' ? result.entity.type : undefined;
}

async function idleMsOf(entityPath: string): Promise<number | undefined> {
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath });
  return result.kind === 'entity-info' ? result.entity.description.autoDeleteOnIdleMs : undefined;
}

function session(shape: JmsShape = {}): Promise<FrameChannel> {
  return openJmsSession(emulator.connect(), shape);
}

async function offeredTo(shape: JmsShape): Promise<string> {
  return notation((await openedBy(emulator.connect(), shape)).field('offeredCapabilities'));
}

describe('the mode', () => {
  test('is offered to azure-servicebus-jms, with what it desires but for a client id of its own [JMS-01, JMS-05, JMS-06]', async () => {
    expect(await offeredTo({})).toBe("array ['DELAYED_DELIVERY, 'ANONYMOUS-RELAY, 'SHARED-SUBS]");
  });

  test.each([undefined, false])(
    'is not offered to a client that says %s of itself [JMS-01, JMS-02]',
    async (isProvider) => {
      expect(await offeredTo({ isProvider })).toMatch(/^(null|absent)$/);
      const other = await session({ isProvider });
      const attach = await attachProducer(other, 0);
      expect(addressIn(attach, 'target')).toBeUndefined();
      expect(await takeRefusal(other)).toMatchObject({
        condition: 'amqp:not-implemented',
        description: expect.stringMatching(/azure-servicebus-jms, or start Jitney with --jms all/),
      });
    },
  );

  test('is offered to Qpid JMS with --jms all [JMS-03]', async () => {
    await open({ jms: 'all' });
    expect(await offeredTo({ isProvider: undefined })).toContain('SHARED-SUBS');
  });

  test.each(['standard', 'basic'] as const)(
    'is refused on a tier that was chosen as %s [JMS-04]',
    async (tier) => {
      await open({ tier, ...(tier === 'basic' ? { topics: [] } : {}) });
      const client = await openJms(emulator.connect());
      const close = await client.expect('close');
      expect(conditionOf(close)).toBe('amqp:not-implemented');
      expect(descriptionOf(close)).toContain(
        'Full JMS 2.0 parity over AMQP is a feature supported only by a Premium Messaging namespace.',
      );
    },
  );

  test('a link is offered what it desires because its connection was not [JMS-05]', async () => {
    const other = await session({ isProvider: undefined });
    const desired = sym('DELAYED_DELIVERY');
    other.send('attach', senderFields(0, { desiredCapabilities: desired }));
    expect(notation((await other.take('attach')).field('offeredCapabilities'))).toContain('DELAYED_DELIVERY');
  });

  test('the open of the server has neither prefixes nor other servers [JMS-07]', async () => {
    const opened = await openedBy(emulator.connect());
    expect(notation(opened.field('properties'))).not.toMatch(/prefix|failover/);
  });
});

describe('a link', () => {
  test('makes the queue or topic that it names, with the idle time of its connection for that kind [JMS-10, JMS-13, JMS-45]', async () => {
    const jms = await session({ idleSeconds: { queue: 20, topic: 400, subscriber: 500 } });
    await attachProducer(jms, 0, { address: 'made', capabilities: ['queue'] });
    await attachProducer(jms, 1, { address: 'news', capabilities: ['topic'] });
    await attachConsumer(jms, 2, { address: 'taken', capabilities: ['queue'] });
    expect([await typeOf('made'), await typeOf('news'), await typeOf('taken')]).toEqual([
      'queue',
      'topic',
      'queue',
    ]);
    const lasting = await session();
    await attachProducer(lasting, 0, { address: 'lasting', capabilities: ['queue'] });
    await attachConsumer(jms, 3, { name: 's', address: 'news', capabilities: ['topic'], isDurable: true });
    const temporary = addressIn(await attachCreator(jms, 4, 'temporary-queue'), 'target') ?? '';
    expect(await idleMsOf('made')).toBe(300_000);
    expect(await idleMsOf('news')).toBe(400_000);
    expect(await idleMsOf('lasting')).toBe(NEVER);
    expect(await idleMsOf('news/Subscriptions/s$$D')).toBe(500_000);
    expect(await idleMsOf(temporary)).toBe(NEVER);
  });

  test.each([
    ['queue://made', 'queue'],
    ['topic://made', 'topic'],
  ])('reads the kind in %s [JMS-14]', async (address, type) => {
    const jms = await session();
    await attachProducer(jms, 0, { address });
    expect(await typeOf('made')).toBe(type);
  });

  test.each(['t/Subscriptions/s', 'q/$DeadLetterQueue', 'queue://q/$DeadLetterQueue'])(
    'reaches %s as a queue, to receive and to browse [JMS-14, JMS-38]',
    async (address) => {
      await open({ topics: [{ name: 't', subscriptions: ['s'] }] });
      const jms = await session();
      for (const [handle, isCopy] of [false, true].entries()) {
        const attach = await attachConsumer(jms, handle, { address, capabilities: ['queue'], isCopy });
        expect(addressIn(attach, 'source')).toBe(address);
      }
    },
  );

  test.each([
    ['without a kind', { address: 'missing' }],
    ['below a topic', { address: 't/Subscriptions/s', capabilities: ['queue'] }],
    ['below a queue', { address: 'missing/$DeadLetterQueue', capabilities: ['queue'] }],
  ])('%s makes nothing [JMS-10]', async (_, shape) => {
    const jms = await session();
    expect(addressIn(await attachConsumer(jms, 0, shape), 'source')).toBeUndefined();
    expect(await takeRefusal(jms)).toMatchObject({ condition: 'amqp:not-found' });
  });

  test('to an entity of the other kind is refused [JMS-12]', async () => {
    const jms = await session();
    expect(
      addressIn(await attachProducer(jms, 0, { address: 'q', capabilities: ['topic'] }), 'target'),
    ).toBeUndefined();
    expect(await takeRefusal(jms)).toMatchObject({
      condition: 'amqp:not-allowed',
      description: expect.stringContaining("'q' is a queue, and not a topic"),
    });
  });
});

describe('an anonymous sender', () => {
  async function relay(): Promise<FrameChannel> {
    const jms = await session();
    await attachProducer(jms, 0);
    await jms.take('flow');
    return jms;
  }

  async function send(jms: FrameChannel, to: string | undefined, kind?: number, more = {}) {
    const message = Buffer.concat([
      ...(kind === undefined ? [] : [messageAnnotations({ 'x-opt-jms-dest': Buffer.of(0x51, kind) })]),
      propertiesSection(to === undefined ? {} : { to: str(to) }),
      dataSection('one'),
    ]);
    return outcome(await takeDisposition(jms, writeMessage(jms, 0, message, more), 'receiver'));
  }

  test('takes each message to the address in its properties [JMS-21]', async () => {
    const jms = await relay();
    expect(await send(jms, 'q')).toBe('accepted[]');
    expect(await send(jms, 't')).toBe('accepted[]');
    await attachConsumer(jms, 1, { address: 'q', capabilities: ['queue'] });
    giveCredit(jms, 1, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'one' });
  });

  test('makes the entity that the message names with its kind [JMS-10, JMS-21]', async () => {
    const jms = await relay();
    expect(await send(jms, 'made', 0)).toBe('accepted[]');
    expect(await send(jms, 'news', 1)).toBe('accepted[]');
    expect([await typeOf('made'), await typeOf('news')]).toEqual(['queue', 'topic']);
    expect(await send(jms, 't', 0)).toContain('amqp:not-allowed');
    expect(await send(jms, 'gone', 2)).toContain('amqp:not-found');
  });

  test('hears of each message that cannot be taken anywhere, and stays [JMS-21, JMS-22]', async () => {
    const jms = await relay();
    expect(await send(jms, undefined)).toContain('amqp:invalid-field');
    expect(await send(jms, '')).toContain('amqp:invalid-field');
    expect(await send(jms, 'missing')).toContain('amqp:not-found');
    expect(await send(jms, '$cbs')).toContain('amqp:not-allowed');
    expect(await send(jms, 'q', undefined, { messageFormat: 0x80013700 })).toContain('amqp:not-allowed');
    expect(await send(jms, 'q')).toBe('accepted[]');
  });

  test('of an entity with a smaller limit hears it by the message [JMS-22]', async () => {
    await open({ queues: ['small?maxMessageSizeInKilobytes=1'] });
    const jms = await relay();
    const message = Buffer.concat([propertiesSection({ to: str('small') }), dataSection('x'.repeat(2000))]);
    const answer = outcome(await takeDisposition(jms, writeMessage(jms, 0, message), 'receiver'));
    expect(answer).toContain('amqp:link:message-size-exceeded');
  });
});

describe('a temporary node', () => {
  test.each(['queue', 'topic'] as const)(
    'is made as a %s with an address of the server [JMS-40, JMS-42]',
    async (type) => {
      const jms = await session();
      const attach = await attachCreator(jms, 0, `temporary-${type}`);
      const target = readList(attach.field('target'));
      expect(target.field('address')?.value).toMatch(new RegExp(`^temp-${type}-[0-9a-f]{32}$`));
      expect(target.field('dynamic')?.value).toBe(true);
      expect(notation(target.field('capabilities'))).toContain(`temporary-${type}`);
      await jms.take('flow');
      expect(await typeOf(String(target.field('address')?.value))).toBe(type);
    },
  );

  test('is refused with another lifetime [JMS-40]', async () => {
    const jms = await session();
    const policy = described(smallUlong(0x2c), list([]));
    expect(addressIn(await attachCreator(jms, 0, 'temporary-queue', policy), 'target')).toBeUndefined();
    expect(await takeRefusal(jms)).toMatchObject({ condition: 'amqp:not-implemented' });
  });

  test('is received from by the link that made it, if its source is dynamic [JMS-41]', async () => {
    const jms = await session();
    jms.send('attach', receiverFields(0, { source: composite('source', { dynamic: TRUE }) }));
    const name = addressIn(await jms.take('attach'), 'source') ?? '';
    expect(await typeOf(name)).toBe('queue');
    await attachSender(jms, 1, name);
    writeMessage(jms, 1, dataSection('reply'));
    giveCredit(jms, 0, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'reply' });
    await detachLink(jms, 0);
    expect(await typeOf(name)).toBeUndefined();
  });

  test('that a receiver makes has the selector of its source [JMS-41, JMS-80, JMS-81]', async () => {
    const jms = await session();
    const selector = described(ulong(0x0000468c00000004n), str("JMSType = 'wanted'"));
    const noLocal = described(ulong(0x0000468c00000003n), list([]));
    const filter = map([
      [sym('jms-selector'), selector],
      [sym('no-local'), noLocal],
    ]);
    jms.send('attach', receiverFields(0, { source: composite('source', { dynamic: TRUE, filter }) }));
    const attach = await jms.take('attach');
    expect(notation(readList(attach.field('source')).field('filter'))).toBe(
      `{'jms-selector: ulong 77567109365764("JMSType = 'wanted'")}`,
    );
    await attachSender(jms, 1, addressIn(attach, 'source') ?? '');
    for (const type of ['other', 'wanted']) {
      writeMessage(jms, 1, Buffer.concat([propertiesSection({ subject: str(type) }), dataSection(type)]));
    }
    giveCredit(jms, 0, 1);
    expect(await takeText(jms)).toMatchObject({ text: 'wanted' });
  });

  async function made(jms: FrameChannel): Promise<string> {
    return addressIn(await attachCreator(jms, 7, 'temporary-queue'), 'target') ?? '';
  }

  test('is gone before the detach of its link is answered, and its other links go with it [JMS-27, JMS-43]', async () => {
    const jms = await session();
    const name = await made(jms);
    const other = await session();
    await attachProducer(other, 0, { address: name, capabilities: ['temporary-queue'] });
    writeDetach(jms, 7);
    await jms.take('detach');
    expect(await typeOf(name)).toBeUndefined();
    expect(await takeRefusal(other)).toMatchObject({ condition: 'amqp:not-found' });
    // Its handle is free again, and is used once.
    const handles = [
      await attachProducer(jms, 1, { address: 'q' }),
      await attachProducer(jms, 2, { address: 'q' }),
    ];
    expect(new Set(handles.map((attach) => attach.field('handle')?.value)).size).toBe(2);
  });

  test.each(['detach without closing', 'end', 'close', 'loss'] as const)(
    'is gone after the %s of its link, session or connection [JMS-43]',
    async (kind) => {
      const pipe = emulator.connect();
      const client = await openJms(pipe);
      const jms = await beginSession(client);
      const name = await made(jms);
      if (kind === 'detach without closing') jms.send('detach', { handle: uint(7), closed: FALSE });
      else if (kind === 'end') jms.send('end', {});
      else if (kind === 'close') client.send('close', {});
      else pipe.destroy();
      if (kind === 'end') await jms.take('end');
      if (kind === 'close') await client.expect('close');
      await expect.poll(() => typeOf(name)).toBeUndefined();
    },
  );

  test('takes a reply of any client while it lives, by a sender of its own and an anonymous one [JMS-26]', async () => {
    const jms = await session();
    const name = await made(jms);
    await attachConsumer(jms, 0, { address: name, capabilities: ['temporary-queue'] });
    giveCredit(jms, 0, 1);
    const sdk = await openSession(emulator.connect());
    await attachSender(sdk, 0, name);
    writeMessage(sdk, 0, dataSection('reply'));
    expect(await takeText(jms)).toMatchObject({ text: 'reply' });
    const other = await session();
    await attachProducer(other, 0);
    await other.take('flow');
    const reply = [propertiesSection({ to: str(name) }), dataSection('anonymous')];
    const toTemporary = messageAnnotations({ 'x-opt-jms-dest': Buffer.of(0x51, 2) });
    writeMessage(other, 0, Buffer.concat([toTemporary, ...reply]));
    giveCredit(jms, 0, 1, { deliveryCount: 1 });
    expect(await takeText(jms)).toMatchObject({ text: 'anonymous' });
  });
});

describe('what a JMS consumer has not settled', () => {
  const RECEIVER = 0;

  async function holding(hasDefaultOutcome = true) {
    const pipe = emulator.connect();
    const client = await openJms(pipe);
    const jms = await beginSession(client);
    await attachProducer(jms, 5, { address: 'q' });
    await jms.take('flow');
    writeMessage(jms, 5, dataSection('held'));
    await attachConsumer(jms, RECEIVER, { address: 'q', capabilities: ['queue'], hasDefaultOutcome });
    giveCredit(jms, RECEIVER, 1);
    const delivery = await takeText(jms);
    return { pipe, client, jms, delivery };
  }

  async function again() {
    const other = await openSession(emulator.connect());
    await attachReceiver(other, 0, { path: 'q', isSettled: false });
    giveCredit(other, 0, 1);
    const { text, deliveryCount } = await takeText(other);
    return { text, deliveryCount };
  }

  test('is available at once and uncounted when its link, session or connection ends in order [JMS-32]', async () => {
    for (const kind of ['detach', 'end', 'close'] as const) {
      await open();
      const { client, jms } = await holding();
      if (kind === 'detach') await detachLink(jms, RECEIVER);
      else if (kind === 'end') jms.send('end', {});
      else client.send('close', {});
      expect(await again()).toEqual({ text: 'held', deliveryCount: 0 });
    }
  });

  test('ends by its default outcome when the connection is lost [JMS-33]', async () => {
    for (const [hasDefaultOutcome, deliveryCount] of [
      [true, 1],
      [false, 0],
    ] as const) {
      await open();
      const { pipe } = await holding(hasDefaultOutcome);
      pipe.destroy();
      expect(await again()).toEqual({ text: 'held', deliveryCount });
    }
  });

  test.each(['detach', 'end', 'close'] as const)(
    'and is abandoned in one read with the %s comes back once [JMS-34]',
    async (kind) => {
      const { client, jms, delivery } = await holding();
      giveCredit(jms, RECEIVER, 1, { deliveryCount: 1 });
      const state = composite('modified', { deliveryFailed: TRUE });
      client.inOneWrite(() => {
        jms.send(
          'disposition',
          dispositionFields(delivery.deliveryId, delivery.deliveryId, { state, settled: true }),
        );
        if (kind === 'detach') writeDetach(jms, RECEIVER);
        else if (kind === 'end') jms.send('end', {});
        else client.send('close', {});
      });
      expect(await again()).toEqual({ text: 'held', deliveryCount: 1 });
    },
  );

  test('stays locked for other clients [JMS-32]', async () => {
    const { jms } = await holding();
    const sdk = await openSession(emulator.connect());
    await detachLink(jms, RECEIVER);
    await attachReceiver(sdk, 0, { path: 'q', isSettled: false });
    giveCredit(sdk, 0, 1);
    await takeText(sdk);
    await detachLink(sdk, 0);
    await attachReceiver(sdk, 1, { path: 'q', isSettled: false });
    giveCredit(sdk, 1, 1);
    await sdk.expectNothing();
  });
});
