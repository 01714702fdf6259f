// The requests and answers of `$management` as traffic: what is no request, how many may wait, and what becomes of large answers.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Frame, numberOf } from '../../support/frame-channel.js';
import { bin, list, long, map, str, timestamp, uint } from '../../support/frame-encoder.js';
import { openSession } from '../../support/frame-links.js';
import { composite } from '../../support/frame-lists.js';
import { applicationProperties, dataSection, messageAnnotations } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { turns } from '../../support/rhea-client.js';
import { ManagementClient, messagesIn } from './management-client.js';
import { GOOD, item, peekBody } from './request-bodies.js';
import { QUEUE, Surroundings } from './surroundings.js';

const ARGUMENT = { status: 'int 400', condition: "'com.microsoft:argument-error" };
const NOT_IMPLEMENTED = { status: 'int 501', condition: "'amqp:not-implemented" };

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
});
afterEach(() => given.close());

describe('a message that is no valid request', () => {
  it('is rejected when it cannot be read, and the link lives on', async () => {
    const manager = await given.manager();
    await expectRejected(Buffer.from('hello'), /'amqp:decode-error.*cannot be read/);
    const operation = applicationProperties({ operation: str('com.microsoft:peek-message') });
    const cut = map([[str('from-sequence-number'), long(1)]]).subarray(0, -1);
    await expectRejected(
      Buffer.concat([operation, Buffer.from('005377', 'hex'), cut]),
      /'amqp:decode-error.*cannot be read/,
    );
    expect(await manager.ask('peek-message', peekBody())).toMatchObject({ status: 'int 204' });
  });

  it('is answered when its operation is missing or unknown', async () => {
    const manager = await given.manager();
    manager.transfer(dataSection('no properties'));
    expect(await manager.takeReply()).toMatchObject({ ...NOT_IMPLEMENTED, correlationId: 'null' });
    const reply = await given.ask('make-coffee', {});
    expect(reply).toMatchObject(NOT_IMPLEMENTED);
    expect(reply.description).toContain('"com.microsoft:make-coffee"');
    expect(reply.description).toContain('com.microsoft:peek-message');
  });

  it('is answered when its body has the wrong kind', async () => {
    const manager = await given.manager();
    for (const operation of Object.keys(GOOD)) {
      const named = applicationProperties({ operation: str(`com.microsoft:${operation}`) });
      manager.transfer(Buffer.concat([named, dataSection('text')]));
      expect(await manager.takeReply()).toMatchObject(ARGUMENT);
    }
  });

  it('is rejected when it is larger than was announced, and the link lives on', async () => {
    await expectRejected(dataSection('x'.repeat(17_000_000)), /'amqp:link:message-size-exceeded.*16777216/);
    expect(await given.ask('peek-message', peekBody())).toMatchObject({ status: 'int 204' });
  });

  it('is rejected when it has a state that is no transaction, and nothing is done', async () => {
    const manager = await given.manager();
    await given.send('one');
    given.session.send(
      'transfer',
      {
        handle: uint(10),
        deliveryId: uint(given.session.sentTransferCount),
        deliveryTag: bin(Buffer.of(1)),
        messageFormat: uint(0),
        state: composite('released'),
      },
      { payload: manager.message('batch-delete-messages', GOOD['batch-delete-messages'] ?? {}) },
    );
    const disposition = await given.session.take('disposition');
    expect(notation(disposition.field('state'))).toMatch(/'amqp:not-implemented.*the state 'released'/);
    expect(await given.list()).toEqual(['one active 1']);
  });

  async function expectRejected(message: Buffer, error: RegExp): Promise<void> {
    const manager = await given.manager();
    const deliveryId = manager.transfer(message, { isSettled: false });
    const disposition = await given.session.take('disposition');
    expect(notation(disposition.field('first'))).toBe(`uint ${deliveryId}`);
    expect(notation(disposition.field('state'))).toMatch(error);
  }
});

describe('many requests at once', () => {
  const LARGE = 'x'.repeat(60_000);

  it('are all answered, however large their answers are together', async () => {
    await given.send(LARGE, LARGE, LARGE, LARGE);
    const manager = await given.manager();
    for (let count = 0; count < 50; count += 1) manager.write('peek-message', peekBody());
    for (let count = 0; count < 50; count += 1) {
      const reply = await manager.takeReply();
      expect(reply.correlationId).toBe(`"request ${count}"`);
      expect(messagesIn(reply)).toHaveLength(4);
    }
  });

  it('get no further credit while their answers cannot be written, and then they do', async () => {
    const session = await openSession(given.emulator.connect());
    const manager = await ManagementClient.open(session, QUEUE);
    const limit = limitIn(await session.take('flow'));
    manager.give(10_000, { window: 0 });
    for (let count = 0; count < limit; count += 1) manager.write('peek-message', peekBody());
    await turns();
    await session.expectNothing([]);
    manager.give(10_000);
    for (let count = 0; count < limit; count += 1) {
      expect((await manager.takeReply()).correlationId).toBe(`"request ${count}"`);
    }
    expect(limitIn(await session.take('flow'))).toBeGreaterThan(limit);
  });

  it('are not carried out while their answers cannot be written, and then in their order', async () => {
    const session = await openSession(given.emulator.connect());
    const manager = await ManagementClient.open(session, QUEUE);
    manager.give(10_000, { window: 0 });
    const submit = vi.spyOn(given.emulator.engine, 'submit');
    const peekCount = () => submit.mock.calls.filter(([command]) => command.kind === 'peek').length;
    for (let count = 0; count < 100; count += 1) manager.write('peek-message', peekBody());
    await turns();
    expect(peekCount()).toBe(0);
    manager.give(10_000);
    for (let count = 0; count < 100; count += 1) {
      expect((await manager.takeReply()).correlationId).toBe(`"request ${count}"`);
    }
    expect(peekCount()).toBe(100);
  });

  it('are not carried out once their client has gone', async () => {
    const duplex = given.emulator.connect();
    const manager = await ManagementClient.open(await openSession(duplex), QUEUE);
    manager.give(10_000, { window: 0 });
    const submit = vi.spyOn(given.emulator.engine, 'submit');
    for (let count = 0; count < 10; count += 1) manager.write('peek-message', peekBody());
    await turns();
    duplex.destroy();
    await turns();
    expect(submit.mock.calls.filter(([command]) => command.kind === 'peek')).toEqual([]);
    expect(given.emulator.server.budget.sum).toBe(0);
  });

  it('of a client without credit are carried out, and the answers wait for its credit', async () => {
    const session = await openSession(given.emulator.connect());
    const manager = await ManagementClient.open(session, QUEUE, { credit: 0 });
    let limit = 0;
    for (let count = 0; count < 500; count += 1) {
      while (count >= limit) limit = limitIn(await session.take('flow'));
      manager.write('peek-message', peekBody());
    }
    await turns();
    manager.give(500);
    for (let count = 0; count < 500; count += 1) {
      expect((await manager.takeReply()).correlationId).toBe(`"request ${count}"`);
    }
  });
});

/** How many requests may be sent since the link was attached. */
function limitIn(flow: Frame): number {
  return (numberOf(flow, 'deliveryCount') ?? 0) + (numberOf(flow, 'linkCredit') ?? 0);
}

describe('a queue that takes large messages', () => {
  it('takes requests that are as large, and gives large messages back', async () => {
    await given.close();
    given = await Surroundings.open({ queues: ['orders?maxMessageSizeInKilobytes=5120'], tier: 'premium' });
    const at = given.now + 1000;
    const large = Buffer.concat([
      messageAnnotations({ 'x-opt-scheduled-enqueue-time': timestamp(at) }),
      dataSection('y'.repeat(5_000_000)),
    ]);
    const reply = await given.ask('schedule-message', { messages: list([item(large)]) });
    expect(reply).toMatchObject({ status: 'int 200' });
    const [shown] = await given.peek();
    expect(shown?.bytesOf('data').length).toBeGreaterThan(5_000_000);
  });
});

describe('a client that announces its largest message', () => {
  const open = async (maxMessageSize: number) => {
    const session = await openSession(given.emulator.connect());
    return ManagementClient.open(session, QUEUE, { maxMessageSize });
  };

  it('gets an error for an answer that is larger, and the answer when it fits', async () => {
    await given.send('x'.repeat(3000));
    const manager = await open(2000);
    const reply = await manager.ask('peek-message', peekBody());
    expect(reply).toMatchObject({
      status: 'int 403',
      condition: "'amqp:link:message-size-exceeded",
      correlationId: '"request 0"',
    });
    expect(reply.description).toMatch(
      /^The answer has 3\d{3} bytes, and this link takes 2000; ask for less\. T/,
    );
    const fromTheEnd = peekBody({ 'from-sequence-number': long(2) });
    expect(await manager.ask('peek-message', fromTheEnd)).toMatchObject({ status: 'int 204' });
    expect(messagesIn(await (await open(4000)).ask('peek-message', peekBody()))).toHaveLength(1);
  });

  it('loses its link where not even the error fits', async () => {
    const manager = await open(100);
    manager.write('peek-message', peekBody());
    const detach = await manager.session.take('detach');
    expect(notation(detach.field('handle'))).toBe('uint 1');
    expect(notation(detach.field('error'))).toMatch(/'amqp:link:message-size-exceeded/);
    await manager.session.expectNothing(['flow']);
  });
});

describe('when the queue is gone', () => {
  it.each(Object.entries(GOOD))(
    '%s fails as it does for a queue that never existed [ERR-04]',
    async (operation, body) => {
      await given.send('one');
      await given.manager();
      await given.emulator.engine.ask({ kind: 'delete-entity', entityPath: QUEUE });
      const reply = await given.ask(operation, body);
      expect(reply).toMatchObject({ status: 'int 404', condition: "'amqp:not-found" });
      expect(reply.description).toContain("The messaging entity 'sb://localhost/orders' could not be found.");
    },
  );
});
