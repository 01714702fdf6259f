// Every number that is told of a busy namespace, alone and in lists: it is the broker's, and what a hand would count.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/broker/contract/command.js';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import type { MessageCounts } from '../../../src/broker/contract/result.js';
import { receiveHead } from '../../../src/http/runtime/head-receiver.js';
import { COMPLETE, DEAD_LETTER, DEFER, newMessage } from '../../support/broker-builders.js';
import { countFor } from '../../support/thorough.js';
import { unlimitedShare } from '../../support/unlimited-share.js';
import { VirtualTimers } from '../../support/virtual-timers.js';
import { type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const RUNS = countFor(20, 200);
/** An AMQP data section without bytes. */
const EMPTY_DATA = Uint8Array.of(0x00, 0x53, 0x75, 0xa0, 0x00);
const LATER = Date.UTC(2027, 0, 1);
/** Fixed, as the least of the messages there are; each has one byte more than the one before it. */
const FIRST_SIZE = 10;

/** How many messages end up as what. */
type Plan = {
  readonly completed: number;
  readonly dead: number;
  readonly deferred: number;
  readonly locked: number;
  readonly active: number;
};

/** As they are told; undefined: the number is not told of such an entity. */
type Numbers = {
  readonly active: number;
  readonly deadLetter: number;
  readonly scheduled: number;
  readonly transfer: number;
  readonly transferDeadLetter: number;
  readonly messages: number | undefined;
  readonly sizeBytes: number | undefined;
  readonly subscriptions: number | undefined;
};

const few = fc.integer({ min: 0, max: 3 });
const plan = fc.record({ completed: few, dead: few, deferred: few, locked: few, active: few });
const busy = fc.record({ queue: plan, subscription: plan, queueScheduled: few, topicScheduled: few });

test('the counts and sizes of queues, topics and subscriptions are exact, alone and in lists [CNT-01, CNT-02]', async () => {
  await fc.assert(
    fc.asyncProperty(busy, async (given) => {
      const http = await openHttpUnderTest({
        queues: ['orders', 'other'],
        topics: [{ name: 'news', subscriptions: ['all', 'idle'] }],
      });
      const { queue, subscription, queueScheduled, topicScheduled } = given;
      const sentSizes = await send(http, 'orders', sumOf(queue), queueScheduled);
      await settleAsPlanned(http, 'orders', queue);
      const topicSizes = await send(http, 'news', sumOf(subscription), topicScheduled);
      await settleAsPlanned(http, 'news/Subscriptions/all', subscription);

      // What is completed comes first, and is gone; of a topic's messages one subscription has all.
      const queueBytes = total(sentSizes.slice(queue.completed));
      await expectNumbers(http, '/orders', '/$Resources/Queues', {
        ...counted(queue, queueScheduled),
        sizeBytes: queueBytes,
      });
      await expectNumbers(http, '/news', '/$Resources/Topics', {
        ...counted(NOTHING, topicScheduled),
        messages: undefined,
        sizeBytes: total(topicSizes),
        subscriptions: 2,
      });
      await expectNumbers(http, '/news/Subscriptions/all', '/news/Subscriptions', counted(subscription, 0));
      const idle = { ...NOTHING, active: sumOf(subscription) };
      await expectNumbers(http, '/news/Subscriptions/idle', '/news/Subscriptions', counted(idle, 0));
      await expectNumbers(http, '/other', '/$Resources/Queues', { ...counted(NOTHING, 0), sizeBytes: 0 });
      expect(http.faults).toEqual([]);
      await http.stop();
    }),
    { numRuns: RUNS },
  );
});

test('transfers that wait or failed are counted with the entity they went through [TXN-12]', async () => {
  const http = await openHttpUnderTest({
    queues: ['orders', 'full', 'closed'],
    topics: [{ name: 'news', subscriptions: [] }],
  });
  const { engine } = http;
  const messages = [newMessage(EMPTY_DATA)];
  for (const [name, given] of [
    ['full', { maxSizeInMegabytes: 1 }],
    ['closed', { status: 'Disabled' }],
  ] as const) {
    expect(
      (await engine.ask({ kind: 'put-entity', type: 'queue', description: describeQueue(name, given) })).kind,
    ).toBe('entity-info');
  }
  const quarter = newMessage(new Uint8Array(2 ** 18));
  for (let sent = 0; sent < 4; sent++) {
    await engine.ask({ kind: 'send', entityPath: 'full', messages: [quarter] });
  }
  const transferred = {
    active: 0,
    deadLetter: 0,
    scheduled: 0,
    transfer: 1,
    transferDeadLetter: 2,
    sizeBytes: 15,
  };
  for (const entityPath of ['orders', 'news']) {
    for (const destination of ['full', 'closed', 'closed']) {
      const result = await engine.ask({ kind: 'transfer', entityPath, destination, messages });
      expect(result).toMatchObject({ kind: 'sent' });
    }
  }
  const ofQueue = { ...transferred, messages: 3, subscriptions: undefined };
  await expectNumbers(http, '/orders', '/$Resources/Queues', ofQueue);
  const ofTopic = { ...transferred, messages: undefined, subscriptions: 0 };
  await expectNumbers(http, '/news', '/$Resources/Topics', ofTopic);
  await http.stop();
});

const NOTHING: Plan = { completed: 0, dead: 0, deferred: 0, locked: 0, active: 0 };

function sumOf({ completed, dead, deferred, locked, active }: Plan): number {
  return completed + dead + deferred + locked + active;
}

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** CNT-01: what is locked or deferred is active. */
function counted({ dead, deferred, locked, active }: Plan, scheduled: number): Numbers {
  return {
    active: active + locked + deferred,
    deadLetter: dead,
    scheduled,
    transfer: 0,
    transferDeadLetter: 0,
    messages: active + locked + deferred + dead + scheduled,
    sizeBytes: undefined,
    subscriptions: undefined,
  };
}

/** The sizes of the messages in their order. */
async function send(http: HttpUnderTest, entityPath: string, count: number, scheduledCount: number) {
  const sizes = Array.from({ length: count + scheduledCount }, (_, index) => FIRST_SIZE + index);
  const messages = sizes.map((size, index) =>
    newMessage(new Uint8Array(size), {
      messageId: String(index),
      scheduledEnqueueTime: index < count ? undefined : LATER,
    }),
  );
  expect((await http.engine.ask({ kind: 'send', entityPath, messages })).kind).toBe('sent');
  return sizes;
}

async function settleAsPlanned(http: HttpUnderTest, entityPath: string, given: Plan): Promise<void> {
  const { completed, dead, deferred, locked } = given;
  for (let at = 0; at < completed; at++) await receive(http, entityPath, COMPLETE);
  for (let at = 0; at < dead; at++) await receive(http, entityPath, DEAD_LETTER);
  for (let at = 0; at < deferred; at++) await receive(http, entityPath, DEFER);
  for (let at = 0; at < locked; at++) await receive(http, entityPath, undefined);
}

/** Locks the next message, and settles it if there is to be an outcome. */
async function receive(
  { engine }: HttpUnderTest,
  entityPath: string,
  outcome: Outcome | undefined,
): Promise<void> {
  const { startTimer } = new VirtualTimers();
  const { signal } = new AbortController();
  const receiveMode = 'peek-lock';
  const share = unlimitedShare();
  const received = await receiveHead(engine, {
    entityPath,
    receiveMode,
    waitMs: 0,
    startTimer,
    signal,
    share,
  });
  const lockToken = received?.delivery.lockToken ?? '';
  if (outcome === undefined) return;
  expect(await engine.ask({ kind: 'settle', entityPath, lockToken, outcome })).toEqual({ kind: 'done' });
}

async function expectNumbers(
  http: HttpUnderTest,
  path: string,
  list: string,
  numbers: Numbers,
): Promise<void> {
  const title = path.slice(path.lastIndexOf('/') + 1);
  const [, ...entries] = (await http.ask('GET', list)).text.split('<entry ');
  const listed = entries.find((entry) => entry.includes(`<title type="text">${title}</title>`)) ?? '';
  expect(numbersIn((await http.ask('GET', path)).text)).toEqual(numbers);
  expect(numbersIn(listed)).toEqual(numbers);
  expect(await numbersOfBroker(http, path.slice(1))).toEqual(numbers);
}

function numbersIn(xml: string) {
  const of = (name: string) => {
    const text = new RegExp(`<${name}>(\\d+)</${name}>`).exec(xml)?.[1];
    return text === undefined ? undefined : Number(text);
  };
  return {
    active: of('d2p1:ActiveMessageCount'),
    deadLetter: of('d2p1:DeadLetterMessageCount'),
    scheduled: of('d2p1:ScheduledMessageCount'),
    transfer: of('d2p1:TransferMessageCount'),
    transferDeadLetter: of('d2p1:TransferDeadLetterMessageCount'),
    messages: of('MessageCount'),
    sizeBytes: of('SizeInBytes'),
    subscriptions: of('SubscriptionCount'),
  };
}

async function numbersOfBroker({ engine }: HttpUnderTest, path: string): Promise<Numbers> {
  const info = await engine.ask({ kind: 'get-entity', entityPath: path });
  if (info.kind !== 'entity-info') throw new Error(`nothing is called ${path}`);
  const { entity } = info;
  const { counts, sizeBytes } = entity;
  switch (entity.type) {
    case 'queue':
      return { ...numbersFrom(counts), sizeBytes };
    case 'topic': {
      const { subscriptionCount: subscriptions } = entity;
      return { ...numbersFrom(counts), messages: undefined, sizeBytes, subscriptions };
    }
    case 'subscription':
      return numbersFrom(counts);
  }
}

function numbersFrom(counts: MessageCounts): Numbers {
  return {
    ...counts,
    messages: total(Object.values(counts)),
    sizeBytes: undefined,
    subscriptions: undefined,
  };
}
