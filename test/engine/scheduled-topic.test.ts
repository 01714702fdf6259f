// A scheduled message of a topic that comes due: the broker, the engine and a journal together, also with a restart between.

import { expect, test } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import { Engine } from '../../src/engine/engine.js';
import type { Journal } from '../../src/engine/ports.js';
import { countingGuids, newMessage } from '../support/broker-builders.js';
import { START } from '../support/engine-under-test.js';
import { type JournalPlace, PLACES } from '../support/journal-places.js';
import { contentOf, JsonReader } from '../support/json-reader.js';
import { VirtualClock } from '../support/virtual-clock.js';

const HOUR = 3_600_000;

type Started = { readonly engine: Engine; readonly clock: VirtualClock; readonly journal: Journal };

/** No content stays in memory once it is durable. */
async function start(place: JournalPlace, clock = new VirtualClock(START)): Promise<Started> {
  const messageReader = new JsonReader();
  const broker = new Broker({ limits: LIMITS_OF_TIER.standard, nextGuid: countingGuids(), messageReader });
  const journal = await place.open();
  const engine = new Engine(broker, journal, clock, { contentBudgetBytes: 0 });
  await engine.start();
  return { engine, clock, journal };
}

/** A topic with a subscription for red messages; one red and one blue message come due in an hour. */
async function schedule({ engine }: Started): Promise<void> {
  await engine.ask({ kind: 'put-entity', type: 'topic', description: describeTopic('news') });
  const filter = { kind: 'sql', expression: "color = 'red'" } as const;
  await engine.ask({
    kind: 'put-entity',
    type: 'subscription',
    topicName: 'news',
    description: describeSubscription('reds'),
    rules: [{ name: 'red', filter, action: undefined }],
  });
  const messages = ['red', 'blue'].map((color) =>
    newMessage(contentOf({ user: { color } }), { messageId: color, scheduledEnqueueTime: START + HOUR }),
  );
  const sent = await engine.ask({ kind: 'send', entityPath: 'news', messages });
  expect(sent.kind).toBe('sent');
}

/** The contents of what lies in the subscription. */
async function contentsIn({ engine }: Started): Promise<unknown[]> {
  const peeked = await engine.ask({
    kind: 'peek',
    entityPath: 'news/Subscriptions/reds',
    fromSequenceNumber: 0,
    maxCount: 10,
  });
  if (peeked.kind !== 'messages') throw new Error(`nothing peeked, but ${peeked.kind}`);
  const contents: unknown[] = [];
  for (const { contentId } of peeked.messages) {
    contents.push(JSON.parse(Buffer.from(await engine.readContent(contentId)).toString()));
  }
  return contents;
}

for (const [where, makePlace] of PLACES) {
  test(`${where} what was written long ago is read when it comes due, and goes where its rules say [SCH-08]`, async () => {
    const started = await start(await makePlace());
    await schedule(started);
    expect(await contentsIn(started)).toEqual([]);
    started.clock.advance(HOUR);
    expect(await contentsIn(started)).toEqual([{ user: { color: 'red' } }]);
    await started.engine.stop();
  });

  test(`${where} what comes due while no emulator runs is read by the next one [SCH-08]`, async () => {
    const place = await makePlace();
    const before = await start(place);
    await schedule(before);
    await before.engine.stop();
    const after = await start(place, new VirtualClock(START + 2 * HOUR));
    expect(await contentsIn(after)).toEqual([{ user: { color: 'red' } }]);
    await after.engine.stop();
  });
}
