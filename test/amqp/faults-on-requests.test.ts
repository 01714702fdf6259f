// Faults of requests to `$management` and `$cbs`, frame by frame: each operation under its name, and how it can end.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultOperation } from '../../src/steer/fault.js';
import { FaultyEmulator } from '../steer/faulty-emulator.js';
import { bin, type Encoded, list, str, uint } from '../support/frame-encoder.js';
import { receiverFields } from '../support/frame-fields.js';
import { giveCredit, openSession, takeRefusal, writeMessage } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import {
  applicationProperties,
  propertiesSection,
  ReceivedMessage,
  section,
} from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { type Body, bodyOf } from './management/management-client.js';
import {
  about,
  longs,
  peekBody,
  scheduledMessage,
  sessionMessage,
  settling,
  uuids,
} from './management/request-bodies.js';
import { QUEUE, SESSION_QUEUE, Surroundings } from './management/surroundings.js';

const BUSY = { status: 'int 503', condition: "'com.microsoft:server-busy" };

let under: FaultyEmulator;
let given: Surroundings;

async function open(queues: readonly string[] = [`${QUEUE}?lockDuration=PT30S`]): Promise<void> {
  under = await FaultyEmulator.open({ queues, topics: [{ name: 'news', subscriptions: ['all'] }] });
  given = await Surroundings.around(under.emulator);
}
beforeEach(() => open());
afterEach(() => under.stop());

const fail = (on: FaultOperation) => under.faults.add({ on, error: 'server-busy' });
const conditions = () => under.conditions(QUEUE);

/** A request that fails, with what is left as it was. */
async function expectBusy(operation: string, body: Body, path = QUEUE): Promise<void> {
  const reply = await given.ask(operation, body, { path });
  expect(reply).toMatchObject(BUSY);
  expect(reply.description).toMatch(/^The request was terminated because the namespace is being throttled/);
  expect(under.fired.map((each) => each.path)).toEqual([path]);
}

function scheduled(): Body {
  const message = bin(scheduledMessage('later', given.now + 60_000));
  return { messages: list([bodyOf({ 'message-id': str('later'), message })]) };
}

describe('a request that fails is answered with status and condition, and is not carried out', () => {
  test('renew-lock', async () => {
    await given.send('a');
    const { token } = await given.lock();
    given.advance(20_000);
    fail('renew-lock');
    await expectBusy('renew-lock', { 'lock-tokens': uuids(token) });
    given.advance(10_000);
    expect(await conditions()).toEqual(['active 1']);
  });

  test('schedule', async () => {
    fail('schedule');
    await expectBusy('schedule-message', scheduled());
    expect(await conditions()).toEqual([]);
  });

  test('cancel', async () => {
    await given.ask('schedule-message', scheduled());
    fail('cancel');
    await expectBusy('cancel-scheduled-message', { 'sequence-numbers': longs(1) });
    expect(await conditions()).toEqual(['scheduled 0']);
  });

  test('peek', async () => {
    fail('peek');
    await expectBusy('peek-message', peekBody());
  });

  test('receive: a deferred message by its number', async () => {
    const number = await given.defer('a');
    fail('receive');
    await expectBusy('receive-by-sequence-number', {
      'sequence-numbers': longs(number),
      'receiver-settle-mode': uint(1),
    });
    expect(await conditions()).toEqual([expect.stringMatching(/^deferred/)]);
  });

  test.each([
    ['complete', 'completed'],
    ['abandon', 'abandoned'],
    ['defer', 'defered'],
    ['dead-letter', 'suspended'],
  ] as const)('%s: a disposition that is %s', async (operation, status) => {
    await given.send('a');
    const { token } = await given.lock();
    fail(operation);
    await expectBusy('update-disposition', settling(status, [token]));
    expect(await conditions()).toEqual(['locked 0']);
  });

  test('administration: the rules of a subscription', async () => {
    const path = 'news/Subscriptions/all';
    fail('administration');
    await expectBusy('remove-rule', { 'rule-name': str('$Default') }, path);
    under.faults.clear();
    const rules = await given.ask('enumerate-rules', { top: uint(9), skip: uint(0) }, { path });
    expect(rules.status).toBe('int 200');
    expect(notation(rules.body)).toContain('$Default');
  });

  test.each([
    ['renew-session-lock', {}],
    ['get-session-state', {}],
    ['set-session-state', { 'session-state': bin(Buffer.of(1)) }],
  ] as const)('%s', async (operation, fields) => {
    await under.stop();
    await open(SESSION_QUEUE.queues);
    await given.send(sessionMessage('s', 'a'));
    await given.hold('s');
    fail(operation);
    await expectBusy(operation, about('s', fields));
    under.faults.clear();
    const state = await given.ask('get-session-state', about('s'));
    expect(notation(state.body)).toContain('null');
  });
});

describe('a request', () => {
  test('whose answer is lost is carried out; the next is answered', async () => {
    under.faults.add({ on: 'schedule', loseAnswer: true });
    const manager = await given.manager();
    manager.write('schedule-message', scheduled());
    await given.session.expectNothing();
    expect(await conditions()).toEqual(['scheduled 0']);
    expect((await given.ask('peek-message', peekBody())).correlationId).toBe('"request 1"');
  });

  test('whose answers are lost without end leave room for others', async () => {
    under.faults.add({ on: 'peek', loseAnswer: true, times: 300 });
    const manager = await given.manager();
    for (let count = 0; count < 300; count++) {
      manager.write('peek-message', peekBody());
      if (count % 50 === 49) await given.session.expectNothing();
    }
    expect((await manager.ask('peek-message', peekBody())).status).toBe('int 204');
  });

  test('can detach its links, both, and is not carried out', async () => {
    under.faults.add({ on: 'schedule', detach: true });
    const manager = await given.manager();
    manager.write('schedule-message', scheduled());
    for (let count = 0; count < 2; count++) {
      expect((await takeRefusal(given.session)).condition).toBe('amqp:link:detach-forced');
    }
    expect(await conditions()).toEqual([]);
  });

  test('can close its connection, and is not carried out', async () => {
    under.faults.add({ on: 'schedule', close: 'internal-error' });
    (await given.manager()).write('schedule-message', scheduled());
    await expect(given.session.take('transfer')).rejects.toThrow(/wrote close\[error\['amqp:internal-error/);
    expect(await conditions()).toEqual([]);
  });

  test('that is held back is carried out and answered after its time, and does not hold back others', async () => {
    await given.send('a');
    under.faults.add({ on: 'schedule', delay: 100 });
    const manager = await given.manager();
    manager.write('schedule-message', scheduled());
    expect((await manager.ask('peek-message', peekBody())).correlationId).toBe('"request 1"');
    await under.pass(99);
    expect(await conditions()).toEqual(['active 0']);
    await under.pass(1);
    expect(await manager.takeReply()).toMatchObject({ status: 'int 200', correlationId: '"request 0"' });
    expect(await conditions()).toEqual(['active 0', 'scheduled 0']);
  });

  test('that is held back is given up with its connection', async () => {
    under.faults.add({ on: 'schedule', delay: 100 });
    (await given.manager()).write('schedule-message', scheduled());
    await under.pass(10);
    expect(under.timers.delays).toEqual([90]);
    under.emulator.connections.resetAll();
    await under.pass(0);
    expect([under.timers.delays, await conditions()]).toEqual([[], []]);
  });

  test('for lock or message effects of deliveries is carried out as ever', async () => {
    const number = await given.defer('a');
    const fault = under.faults.add({ on: 'receive', endLock: true });
    const body = { 'sequence-numbers': longs(number), 'receiver-settle-mode': uint(1) };
    expect((await given.ask('receive-by-sequence-number', body)).status).toBe('int 200');
    expect(fault.firedCount).toBe(1);
  });
});

describe('a token', () => {
  test('that fails is answered with the status and its text, and without a condition', async () => {
    under.faults.add({ on: 'token', entity: 'orders', error: 'unauthorized-access' });
    const { answer, names } = await putToken();
    expect(answer('status-code')).toBe('int 401');
    expect(answer('status-description')).toMatch(/^"Unauthorized access\. 'Send,Listen' claim\(s\)/);
    expect(names.filter((each) => /condition/i.test(each))).toEqual([]);
    expect(under.fired).toMatchObject([{ operation: 'token', path: 'orders' }]);
  });

  test('that does not fail is accepted', async () => {
    under.faults.add({ on: 'token', entity: 'other', error: 'unauthorized-access' });
    expect((await putToken()).answer('status-code')).toBe('int 202');
  });

  test('can fail also while idle connections are watched', async () => {
    await under.stop();
    under = await FaultyEmulator.open({ queues: [QUEUE], idleTimeouts: 'azure' });
    under.faults.add({ on: 'token', error: 'unauthorized-access' });
    const { answer, names } = await putToken();
    expect(answer('status-code')).toBe('int 401');
    expect(names.filter((each) => /condition/i.test(each))).toEqual([]);
  });

  async function putToken() {
    const session = await openSession(under.connect());
    const address = { address: str('$cbs') };
    session.send('attach', {
      name: str('tokens'),
      handle: uint(0),
      role: Buffer.of(0x42),
      initialDeliveryCount: uint(0),
      source: composite('source'),
      target: composite('target', address),
    });
    await session.take('attach');
    const source = composite('source', address);
    const target: Encoded = composite('target', { address: str('answers') });
    session.send('attach', receiverFields(1, { source, target }));
    await session.take('attach');
    giveCredit(session, 1, 10);
    const request = Buffer.concat([
      propertiesSection({ messageId: str('1'), replyTo: str('answers') }),
      applicationProperties({
        operation: str('put-token'),
        type: str('servicebus.windows.net:sastoken'),
        name: str('sb://localhost/orders'),
      }),
      section('value', str('SharedAccessSignature sr=x')),
    ]);
    writeMessage(session, 0, request);
    const message = new ReceivedMessage((await session.takeDelivery()).payload);
    const properties = notation(message.section('applicationProperties')?.value);
    return {
      answer: (name: string) => notation(message.entry('applicationProperties', name)),
      names: [...properties.matchAll(/"([\w-]+)":/g)].map(([, name]) => name ?? ''),
    };
  }
});
