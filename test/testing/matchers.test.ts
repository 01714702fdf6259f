// The matchers on an emulator of its own: when they pass, and the whole text of each that fails.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { queueHandle, subscriptionHandle, topicHandle } from '../../src/inspect/entity-handles.js';
import { checkEntity } from '../../src/testing/check-entity.js';
import { LookUnderTest } from '../inspect/look-under-test.js';

const COMPLETE = { kind: 'complete' } as const;
const WIDTH = 76;

let look: LookUnderTest;
beforeEach(async () => {
  look = await LookUnderTest.open({
    queues: ['orders', 'paid', 'steps?requiresSession=true'],
    topics: [
      { name: 'events', subscriptions: ['audit', { name: 'none', rules: [] }] },
      {
        name: 'news',
        subscriptions: [
          'all',
          {
            name: 'mail',
            rules: [
              { name: 'placed', filter: { kind: 'correlation', subject: 'placed' }, action: undefined },
            ],
          },
          {
            name: 'eu',
            rules: [
              {
                name: 'big',
                filter: { kind: 'sql', expression: "region = 'EU' AND total > 10" },
                action: undefined,
              },
            ],
          },
        ],
      },
    ],
    isRecording: true,
  });
});
afterEach(async () => {
  expect(look.timers.delays).toEqual([]);
  await look.emulator.stop();
});

const orders = () => queueHandle(look.context, 'orders');

/** Undefined if it passes, and otherwise the text of the failure. It waits no longer than a test lets time pass. */
async function outcome(received: unknown, name: string, ...given: unknown[]): Promise<string | undefined> {
  return outcomeOf(received, { name, isNot: false }, given);
}

async function outcomeOfNot(
  received: unknown,
  name: string,
  ...given: unknown[]
): Promise<string | undefined> {
  return outcomeOf(received, { name, isNot: true }, given);
}

type Called = { readonly name: string; readonly isNot: boolean; readonly begin?: number };

async function outcomeOf(
  received: unknown,
  { name, isNot, begin }: Called,
  given: readonly unknown[],
): Promise<string | undefined> {
  let hasEnded = false;
  const checked = checkEntity(name, { received, given }, { isNot, begin, width: WIDTH }).finally(() => {
    hasEnded = true;
  });
  checked.catch(() => {});
  await look.settled();
  for (let step = 0; step < 40 && !hasEnded; step++) {
    look.timers.advance(25);
    await look.settled();
  }
  const { pass, message } = await checked;
  return pass === isNot ? `\n${message()}\n` : undefined;
}

/** A message of a test of a shop: one is dead-lettered, one completed, one there. */
async function shop(): Promise<void> {
  const { clock } = look.emulator;
  await look.send('orders', { messageId: 'a-15', subject: 'paid', body: { total: 5 } });
  clock.advance(12);
  const lock = await look.lockOne('orders');
  clock.advance(8);
  await look.settle('orders', lock, { kind: 'dead-letter', changes: [] });
  await look.send('orders', { messageId: 'a-16', subject: 'paid', body: { total: 120 } });
  await look.settle('orders', await look.lockOne('orders'), COMPLETE);
  clock.advance(2000);
  await look.send('orders', { messageId: 'a-17', subject: 'paid', body: { total: 12, by: ['Ann'] } });
}

test('toHaveMessages with a list passes when each expected message has one of its own, and shows the nearest miss', async () => {
  await shop();
  expect(
    await outcome(orders(), 'toHaveMessages', [{ subject: 'paid', body: { total: 12 } }]),
  ).toBeUndefined();
  expect(await outcome(orders(), 'toHaveMessages', [{ body: { by: ['Ann'] } }])).toBeUndefined();
  expect(
    await outcome(orders(), 'toHaveMessages', [{ subject: 'paid' }, { subject: /^pa/ }]),
  ).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveMessages(
        [{ subject: 'paid' }, { subject: /^pa/ }])
    Waited 1,000 ms; idle. 1 active, 1 dead letter, 1 completed.
    Nearest to { subject: /^pa/ }: #2 completed, id 'a-16'
        subject  'paid'
    Also: #1 dead letter 'a-15', without a reason, held by an HTTP client
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
  expect(
    await outcome(orders(), 'toHaveMessages', [{ subject: 'paid', body: { total: 120 } }]),
  ).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveMessages(
        [{ subject: 'paid', body: { total: 120 } }])
    Waited 1,000 ms; idle. 1 active, 1 dead letter, 1 completed.
    Nearest: #2 completed, id 'a-16'
        subject     'paid'
        body.total  120
    Also: #1 dead letter 'a-15', without a reason, held by an HTTP client
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
});

test('toHaveMessages with a number passes once the emulator is idle', async () => {
  await shop();
  expect(await outcome(orders(), 'toHaveMessages', 1)).toBeUndefined();
  expect(await outcome(orders(), 'toHaveMessages', 2)).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveMessages(2)
    Waited 1,000 ms; idle. 1 active, 1 dead letter, 1 completed.
    There:
      #3 active, id 'a-17': { total: 12, by: ['Ann'] }
    Also: #1 dead letter 'a-15', without a reason, held by an HTTP client
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
  expect(await outcomeOfNot(orders(), 'toHaveMessages', 1)).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').not.toHaveMessages(1)
    Waited 1,000 ms; idle. 1 active, 1 dead letter, 1 completed.
    There:
      #3 active, id 'a-17': { total: 12, by: ['Ann'] }
    Also: #1 dead letter 'a-15', without a reason, held by an HTTP client
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
  await look.send('paid', { body: 'x' });
  await look.lockOne('paid');
  expect(await outcome(orders(), 'toHaveMessages', 1)).toContain(
    "not idle. 1 active, 1 dead letter, 1 completed.\n  'paid' has 1 message locked",
  );
});

test('toBeEmpty', async () => {
  expect(await outcome(orders(), 'toBeEmpty')).toBeUndefined();
  await shop();
  expect(await outcome(orders(), 'toBeEmpty', { timeoutMs: 400 })).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toBeEmpty()
    Waited 400 ms; idle. 1 active, 1 dead letter, 1 completed.
    There:
      #3 active, id 'a-17': { total: 12, by: ['Ann'] }
    Also: #1 dead letter 'a-15', without a reason, held by an HTTP client
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
});

test('toHaveDeadLetter', async () => {
  expect(await outcomeOfNot(orders(), 'toHaveDeadLetter')).toBeUndefined();
  await shop();
  expect(await outcome(orders(), 'toHaveDeadLetter', { body: { total: 5 } })).toBeUndefined();
  expect(await outcome(orders(), 'toHaveDeadLetter', { reason: 'unreadable' })).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveDeadLetter(
        { reason: 'unreadable' })
    Waited 1,000 ms; idle. 1 active, 1 dead letter, 1 completed.
    Nearest: #1 dead letter, id 'a-15'
      - deadLetterReason  'unreadable'  expected
      + deadLetterReason  undefined     there
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
  expect(await outcome(orders().deadLetterQueue, 'toHaveMessages', 1)).toBeUndefined();
});

test('a matcher of the framework stands for a message', async () => {
  await shop();
  const never = new (class {
    asymmetricMatch() {
      return false;
    }
  })();
  for (const name of ['toHaveDeadLetter', 'toHaveBeenCompleted']) {
    expect(await outcome(orders(), name, expect.objectContaining({ subject: 'paid' }))).toBeUndefined();
    expect(await outcomeOfNot(orders(), name, never)).toBeUndefined();
  }
});

test('toHaveBeenCompleted knows a message that is gone', async () => {
  await shop();
  expect(
    await outcome(orders(), 'toHaveBeenCompleted', { messageId: 'a-16', body: { total: 120 } }),
  ).toBeUndefined();
  expect(
    await outcome(
      orders(),
      'toHaveBeenCompleted',
      ({ body }: { body: { total: number } }) => body.total > 100,
    ),
  ).toBeUndefined();
  expect(await outcome(orders(), 'toHaveBeenCompleted', { messageId: 'a-17' })).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveBeenCompleted(
        { messageId: 'a-17' })
    Waited 1,000 ms; idle. 1 active, 1 dead letter, 1 completed.
    Nearest: #2 completed, id 'a-16'
      - messageId  'a-17'  expected
      + messageId  'a-16'  there
    Also: #1 dead letter 'a-15', without a reason, held by an HTTP client
    Last 7 of 7 in queue 'orders':
       +0 ms  #1 accepted
      +12 ms  #1 locked, delivery 1
      +20 ms  #1 dead-lettered: without a reason
      +20 ms  #2 accepted
      +20 ms  #2 locked, delivery 1
      +20 ms  #2 completed
        +2 s  #3 accepted
    Clock: virtual 00:00:02; nothing due.
    "
  `);
});

test('toHaveBeenRoutedTo', async () => {
  const events = topicHandle(look.context, 'events');
  await look.send('events', { messageId: 'e-1', subject: 'placed', body: { id: 7 } });
  expect(await outcome(events, 'toHaveBeenRoutedTo', 'audit', { subject: 'placed' })).toBeUndefined();
  expect(await outcomeOfNot(events, 'toHaveBeenRoutedTo', 'none')).toBeUndefined();
  expect(await outcome(events, 'toHaveBeenRoutedTo', 'none')).toMatchInlineSnapshot(`
    "
    expect(topic 'events').toHaveBeenRoutedTo('none')
    Waited 1,000 ms; idle. No message.
    There:
      #1, id 'e-1', went to 'audit' by rule '$Default': { id: 7 }
    Last 2 of 2 in topic 'events':
      +0 ms  #1 accepted
      +0 ms  #1 copied to 'audit' by rule '$Default', from #1
    Clock: virtual 00:00:00; nothing due.
    "
  `);
  const audit = subscriptionHandle(look.context, 'events', 'audit');
  expect(await outcome(audit, 'toHaveMessages', [{ body: { id: 7 } }])).toBeUndefined();
  await expect(outcome(events, 'toHaveBeenRoutedTo', 'audits')).rejects.toMatchObject({
    kind: 'entity-not-found',
  });
});

test('a matcher of a subscription says which rule did not take a message of its topic, and for which value', async () => {
  const mail = subscriptionHandle(look.context, 'news', 'mail');
  await look.send('news', { subject: 'Placed', applicationProperties: { region: 'EU', total: 5 } });
  expect(await outcome(mail, 'toHaveMessages', 1)).toMatchInlineSnapshot(`
    "
    expect(subscription 'news/mail').toHaveMessages(1)
    Waited 1,000 ms; idle. No message.
    'news' #1 was not taken by 'mail': rule 'placed' wants sys.Label = 'placed',
        and sys.Label is 'Placed'.
    Nothing has happened in subscription 'news/mail'.
    Clock: virtual 00:00:00; nothing due.
    "
  `);
  const news = topicHandle(look.context, 'news');
  expect(await outcome(news, 'toHaveBeenRoutedTo', 'eu')).toContain("'news' #1 was not taken by 'eu': rule");
  expect(await outcome(news, 'toHaveBeenRoutedTo', 'all')).toBeUndefined();

  await look.send('news', { subject: 'placed' });
  const one = await outcome(mail, 'toHaveMessages', [{ subject: 'placed' }, { subject: 'Placed' }]);
  expect(one).toContain("'news' #1 was not taken by 'mail'");
  expect(one).not.toContain('#2 was not taken');
  expect(await outcome(mail, 'toBeEmpty')).not.toContain('was not taken');
});

test('toHaveProcessedInOrder', async () => {
  const steps = queueHandle(look.context, 'steps');
  await look.send(
    'steps',
    { messageId: 's-1', sessionId: '7', body: 'pack' },
    { messageId: 's-2', sessionId: '7', body: 'ship' },
  );
  expect(await outcome(steps, 'toHaveProcessedInOrder', '7')).toMatchInlineSnapshot(`
    "
    expect(queue 'steps').toHaveProcessedInOrder('7')
    Waited 1,000 ms; idle. 2 active.
    Not processed yet:
    There:
      #1 active, id 's-1': 'pack'
      #2 active, id 's-2': 'ship'
    Last 2 of 2 in queue 'steps':
      +0 ms  #1 accepted
      +0 ms  #2 accepted
    Clock: virtual 00:00:00; nothing due.
    "
  `);
  expect(await outcome(steps, 'toHaveProcessedInOrder', '8')).toContain(
    "No message of session '8' was processed.",
  );
});

test('toHaveProcessedInOrder shows which message came too late', async () => {
  const queue = orders();
  const complete = async (...locks: string[]) => {
    for (const lock of locks) await look.settle('orders', lock, COMPLETE);
  };
  await look.send('orders', { sessionId: '7', body: 'pack' }, { sessionId: '7', body: 'ship' });
  await complete(await look.lockOne('orders'), await look.lockOne('orders'));
  expect(await outcome(queue, 'toHaveProcessedInOrder', '7')).toBeUndefined();
  await look.send('orders', { sessionId: '8', body: 'pack' }, { sessionId: '8', body: 'ship' });
  const [pack, ship] = [await look.lockOne('orders'), await look.lockOne('orders')];
  await complete(ship, pack);
  expect(await outcome(queue, 'toHaveProcessedInOrder', '7')).toBeUndefined();
  expect(await outcome(queue, 'toHaveProcessedInOrder', '8')).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveProcessedInOrder('8')
    Waited 1,000 ms; idle. 4 completed.
    #4 was processed before #3; in order: #4, #3
    Last 12 of 12 in queue 'orders':
      +0 ms  #1 accepted
      +0 ms  #2 accepted
      +0 ms  #1 locked, delivery 1
      +0 ms  #2 locked, delivery 1
      +0 ms  #1 completed
      +0 ms  #2 completed
      +0 ms  #3 accepted
      +0 ms  #4 accepted
      +0 ms  #3 locked, delivery 1
      +0 ms  #4 locked, delivery 1
      +0 ms  #4 completed
      +0 ms  #3 completed
    Clock: virtual 00:00:00; nothing due.
    "
  `);
});

test('toHaveNothingUnsettled, and its opposite although a lock keeps the emulator from being idle', async () => {
  expect(await outcome(orders(), 'toHaveNothingUnsettled')).toBeUndefined();
  await look.send('orders', { messageId: 'a-1', body: { id: 7 } });
  await look.lockOne('orders');
  expect(await outcome(orders(), 'toHaveNothingUnsettled')).toMatchInlineSnapshot(`
    "
    expect(queue 'orders').toHaveNothingUnsettled()
    Waited 1,000 ms; not idle. 1 locked.
      'orders' has 1 message locked, #1 until 2026-01-01T00:01:00.000Z
    There:
      #1 locked, id 'a-1': { id: 7 }
    Last 2 of 2 in queue 'orders':
      +0 ms  #1 accepted
      +0 ms  #1 locked, delivery 1
    Clock: virtual 00:00:00; nothing due.
    "
  `);
  expect(await outcomeOfNot(orders(), 'toHaveNothingUnsettled')).toBeUndefined();
});

test('what the record does not reach back to is not known, with `.not` and without', async () => {
  await look.emulator.stop();
  look = await LookUnderTest.open({ queues: ['orders'] });
  expect(await outcome(orders(), 'toHaveBeenCompleted', { messageId: 'a' })).toMatch(/^Not known: /m);
  expect(await outcomeOfNot(orders(), 'toHaveBeenCompleted', { messageId: 'a' })).toMatch(/^Not known: /m);
});

test('a completion before the test began does not count', async () => {
  await shop();
  look.emulator.clock.advance(1000);
  const begin = look.emulator.clock.now();
  const completed = { name: 'toHaveBeenCompleted', begin };
  expect(await outcomeOf(orders(), { ...completed, isNot: false }, [])).toContain('Nothing has happened in');
  expect(await outcomeOf(orders(), { ...completed, isNot: true }, [])).toBeUndefined();
});

test('a missing entity is no empty one, is named first, and a look at it leaves no record', async () => {
  await look.send('paid', { body: 1 });
  const { nextId } = look.emulator.activity;
  const missing = queueHandle(look.context, 'ordres');
  expect(await outcome(missing, 'toBeEmpty')).toMatchInlineSnapshot(`
    "
    expect(queue 'ordres').toBeEmpty()
    There is no 'ordres'. Did you mean 'orders'?
    Waited 1,000 ms for it to be created.
    Nothing has happened in queue 'ordres'.
    Clock: virtual 00:00:00; nothing due.
    "
  `);
  expect(await outcomeOfNot(missing, 'toHaveMessages', 1)).toContain("Did you mean 'orders'?");
  expect(look.emulator.activity.nextId).toBe(nextId);
});

test.each([
  ['toHaveMessages', ['2'], 'takes a number of messages'],
  ['toHaveMessages', [[]], 'toBeEmpty expects that there is none'],
  ['toHaveMessages', [[{ subjekt: 'paid' }]], "no field 'subjekt'. Did you mean 'subject'?"],
  ['toHaveMessages', [1, { timeout: 5 }], "no option 'timeout'"],
  ['toBeEmpty', [3], 'toBeEmpty takes'],
  ['toHaveBeenRoutedTo', ['audit'], 'is for a topic'],
  ['toHaveProcessedInOrder', [7], 'takes the id of a session'],
])('%s refuses %j', async (name, given, text) => {
  await expect(outcome(orders(), name, ...given)).rejects.toThrow(text);
  await expect(outcome({}, name, ...given)).rejects.toThrow('is for a handle');
  await expect(outcome(topicHandle(look.context, 'events'), 'toBeEmpty')).rejects.toThrow(
    'is not for a topic',
  );
});
