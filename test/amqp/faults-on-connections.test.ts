// Faults of opens and attaches, what presets do to all connections, and a server without faults, which looks for none.

import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator.js';
import { type FaultSubject, Faults } from '../../src/steer/faults.js';
import { FaultyEmulator } from '../steer/faulty-emulator.js';
import { countingGuids } from '../support/broker-builders.js';
import { FrameClient } from '../support/frame-client.js';
import { str } from '../support/frame-encoder.js';
import { conditionOf, senderFields } from '../support/frame-fields.js';
import { openClient } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { LinkClient } from '../support/link-client.js';
import { next, rheaConnect, turns } from '../support/rhea-client.js';
import { ManagementClient } from './management/management-client.js';

let under: FaultyEmulator;
beforeEach(async () => {
  under = await FaultyEmulator.open({ queues: ['q', 'other'] });
});
afterEach(() => under.stop());

/** The protocol header and the open, without waiting. */
function opening(): FrameClient {
  const client = new FrameClient(under.connect());
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client') });
  return client;
}

const openCount = () => under.emulator.connections.list().length;

describe('an open', () => {
  test.each([
    [{ error: 'internal-error' }, 'amqp:internal-error'],
    [{ close: true }, 'amqp:connection:forced'],
  ] as const)('can be answered and closed at once: %j', async (effect, condition) => {
    under.faults.add({ on: 'open', ...effect });
    const client = opening();
    await under.pass(0);
    await client.expectHeader('amqp');
    await client.expect('open');
    expect(conditionOf(await client.expect('close'))).toBe(condition);
    expect(openCount()).toBe(0);
    expect(under.fired).toMatchObject([{ operation: 'open', path: '' }]);
  });

  test('can be broken off without a word', async () => {
    under.faults.add({ on: 'open', reset: true });
    const client = opening();
    await under.pass(0);
    await expect(client.inbox.take('open')).rejects.toThrow(/closed the connection|broke/);
    expect(openCount()).toBe(0);
  });

  test.each([{ silence: true }, { loseAnswer: true }] as const)(
    'can stay without an answer: %j',
    async (effect) => {
      under.faults.add({ on: 'open', ...effect });
      const client = opening();
      await under.pass(1000);
      await client.inbox.expectNothing(['header']);
      expect(openCount()).toBe(1);
    },
  );

  test('that is held back is answered after its time, and what the client has written behind it after that', async () => {
    under.faults.add({ on: 'open', delay: 100, times: 1 });
    const frames = opening();
    const opened = LinkClient.begin(frames, 0);
    await under.pass(99);
    await frames.inbox.expectNothing(['header']);
    await under.pass(1);
    const client = await opened;
    await client.openSender(0, 'q');
    expect(await client.send(0, 'x')).toBe('accepted[]');
  });

  test('that is held back is given up with its connection', async () => {
    under.faults.add({ on: 'open', delay: 100 });
    const client = opening();
    await under.pass(10);
    client.destroy();
    under.emulator.connections.resetAll();
    await turns();
    expect([under.timers.delays, openCount()]).toEqual([[], 0]);
  });
});

describe('an attach', () => {
  let client: LinkClient;
  beforeEach(async () => {
    client = await LinkClient.open(under.connect());
  });

  /** What a client is told that opens a sender. */
  async function refusal(handle: number, path: string): Promise<string | undefined> {
    const attach = await client.openSender(handle, path);
    expect(attach.field('target')?.type).toBe('null');
    return (await client.detached()).condition;
  }

  test('that fails is refused with the error; the next is answered', async () => {
    under.faults.add({ on: 'attach', error: 'server-busy', times: 1 });
    expect(await refusal(0, 'q')).toBe('com.microsoft:server-busy');
    await client.openSender(1, 'q');
    expect(await client.send(1, 'x')).toBe('accepted[]');
  });

  test('can be refused as if it were detached, for one entity alone', async () => {
    under.faults.add({ on: 'attach', entity: 'q', detach: 'entity-disabled' });
    await client.openSender(0, 'other');
    expect(await refusal(1, 'q')).toBe('com.microsoft:entity-disabled');
    expect(under.fired).toMatchObject([{ operation: 'attach', path: 'q' }]);
  });

  test('of a receiver, of requests and of the coordinator can fail as well; an attach to $cbs is not hit', async () => {
    under.faults.add({ on: 'attach', error: 'server-busy' });
    expect((await client.openReceiver(0, 'q')).field('source')?.type).toBe('null');
    await client.detached();
    expect(await refusal(1, 'q/$management')).toBe('com.microsoft:server-busy');
    client.session.send('attach', senderFields(2, { target: composite('coordinator') }));
    expect((await client.detached()).condition).toBe('com.microsoft:server-busy');
    await client.openSender(3, '$cbs');
    expect(under.fired.map(({ path }) => path)).toEqual(['q', 'q', '$coordinator']);
  });

  test('can stay without an answer, and other links work', async () => {
    under.faults.add({ on: 'attach', loseAnswer: true, times: 1 });
    client.session.send('attach', senderFields(0));
    await client.session.expectNothing();
    await client.openSender(1, 'q');
    expect(await client.send(1, 'x')).toBe('accepted[]');
  });

  test('that is held back is answered after its time, with the messages that were sent behind it', async () => {
    under.faults.add({ on: 'attach', delay: 100, times: 1 });
    client.session.send('attach', senderFields(0));
    const sent = client.send(0, 'x');
    await under.pass(99);
    await client.session.expectNothing();
    await under.pass(1);
    await client.session.take('attach');
    expect(await sent).toBe('accepted[]');
  });

  test('that is held back is not carried out once the client has given up its link', async () => {
    under.faults.add({ on: 'attach', delay: 100, times: 1 });
    client.session.send('attach', senderFields(0));
    await under.pass(10);
    await client.detach(0);
    await under.pass(100);
    await client.session.expectNothing(['attach', 'flow']);
    expect(under.emulator.connections.list()[0]?.links).toEqual([]);
    expect(under.emulator.server.connections.count).toBe(1);
  });
});

describe('the preset', () => {
  test('blip resets all connections, with links or without; clients can come again', async () => {
    const clients = [await LinkClient.sending(under.connect(), 'a'), await LinkClient.open(under.connect())];
    under.faults.addPreset('blip');
    for (const { session } of clients) {
      await expect(session.take('disposition')).rejects.toThrow(/closed the connection|broke/);
    }
    expect(openCount()).toBe(0);
    expect(await (await LinkClient.receiving(under.connect(), 1)).takeTexts(1)).toEqual(['a']);
  });

  test('failover detaches the links of entities, on all connections, which stay open', async () => {
    const client = await LinkClient.open(under.connect());
    await client.openSender(0, 'q');
    await client.openReceiver(1, 'other');
    await client.openControl();
    const other = await LinkClient.receiving(under.connect(), 1);
    under.faults.addPreset('failover');
    for (const { session } of [client, client, other]) {
      const detach = await session.take('detach');
      expect(conditionOf(detach)).toBe('amqp:link:detach-forced');
      expect(detach.text).toContain('is moved to another node');
    }
    await client.session.expectNothing();
    expect(openCount()).toBe(2);
    expect(under.emulator.connections.list().flatMap(({ links }) => links.map(({ path }) => path))).toEqual([
      '$coordinator',
    ]);
    await client.openSender(2, 'q');
    expect((await client.detached()).condition).toBe('com.microsoft:server-busy');
    await under.pass(2000);
    await client.openSender(3, 'q');
    expect(await client.send(3, 'x')).toBe('accepted[]');
  });
});

test('a server with a silent connection and one whose open is held back stops at once', async () => {
  under.faults.add({ on: 'attach', silence: true });
  const client = await LinkClient.open(under.connect());
  client.session.send('attach', senderFields(0));
  await client.session.expectNothing();
  under.faults.add({ on: 'open', delay: 60_000 });
  const waiting = opening();
  await under.pass(0);
  under.emulator.server.close(undefined);
  await expect(client.session.take('attach')).rejects.toThrow(/closed the connection|broke/);
  await expect(waiting.expect('close')).rejects.toThrow(/closed the connection|broke|header/);
});

test('a plain socket is reset as by a network: the client reads ECONNRESET', async () => {
  await using emulator = await startEmulator({ queues: ['q'], tls: 'off' });
  const socket = connect({ host: '127.0.0.1', port: emulator.port });
  const connection = rheaConnect(socket);
  const sender = connection.open_sender('q');
  await next(sender, 'sendable');
  const broken = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
  emulator.faults.add({ on: 'send', reset: true });
  sender.send({ body: 'x' });
  expect((await broken).code).toBe('ECONNRESET');
});

test.each([
  [undefined, 'accepted'],
  [true, 'rejected'],
] as const)(
  'with the option faultProperty %s, a message that carries a fault is %s',
  async (faultProperty, word) => {
    const option = faultProperty === undefined ? {} : { faultProperty };
    await using emulator = await startEmulator({ queues: ['q'], tls: 'off', ...option });
    const sender = rheaConnect(connect({ host: '127.0.0.1', port: emulator.port })).open_sender('q');
    await next(sender, 'sendable');
    sender.send({ body: 'x', application_properties: { 'x-jitney-fault': 'server-busy' } });
    await next(sender, word);
  },
);

test('without a fault that was added, no operation is looked up', async () => {
  const looked: string[] = [];
  class Watched extends Faults {
    override find(subject: FaultSubject): ReturnType<Faults['find']> {
      looked.push(subject.operation);
      return super.find(subject);
    }
  }
  const faults = new Watched({ nextGuid: countingGuids() });
  await under.stop();
  under = await FaultyEmulator.open({ faults });
  const work = async () => {
    const frames = await openClient(under.connect());
    const client = await LinkClient.begin(frames, 0);
    await client.openSender(0, 'q');
    await client.openControl();
    const id = await client.declare();
    await client.send(0, 'x', id);
    await client.commit(id);
    await client.openReceiver(1, 'q');
    await client.settle(await client.receive(1), composite('accepted'));
    const other = await LinkClient.receiving(under.connect(), 1);
    const manager = await ManagementClient.open(other.session, 'q', { handle: 2 });
    await other.openSender();
    await other.sendTexts('y');
    await manager.askAbout(await other.take(), 'renew-lock');
    frames.send('close', {});
  };
  await work();
  expect(looked).toEqual([]);
  faults.add({ on: 'peek', delay: 5 });
  await work();
  expect(new Set(looked)).toEqual(
    new Set(['open', 'attach', 'declare', 'send', 'discharge', 'receive', 'complete', 'renew-lock']),
  );
});
