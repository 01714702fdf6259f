// Times in a journal that were written while the machine's clock was ahead: the next start takes them back.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { JournalEvent } from '../../src/engine/ports.js';
import { TimeEpochs } from '../../src/journal/time-epochs.js';
import { type JournalPlace, PLACES, rowOf, write } from '../support/journal-places.js';
import {
  contentStored,
  counterPut,
  type Kept,
  messageIdNoted,
  messagePut,
  messageRecord,
  queuePut,
  recover,
  rulePut,
  sessionStatePut,
  subscriptionPut,
  topicPut,
} from '../support/journal-rows.js';

const NOW = 1_000_000;
const AHEAD = 50_000;

/** What a process finds that starts at this time of the machine, and then appends these events. */
async function startAt(place: JournalPlace, clockTime: number, ...events: JournalEvent[]): Promise<Kept> {
  const journal = await place.open();
  const kept = await recover(journal, clockTime);
  if (events.length > 0) await journal.append(events);
  await journal.close();
  return kept;
}

function timePut(now: number): JournalEvent {
  return { kind: 'time-put', now };
}

function enqueuedTimes({ stored }: Kept): number[] {
  return stored.flatMap((row) => (row.kind === 'message-put' ? [row.message.enqueuedTime] : []));
}

/** A message and its content. */
function sent(number: number, enqueuedTime: number): JournalEvent[] {
  return [contentStored(number), messagePut(messageRecord(number, { enqueuedTime }))];
}

for (const [where, makePlace] of PLACES) {
  test(`${where} all times of what was stored later than now by a clock ahead are taken back, and no others`, async () => {
    const place = await makePlace();
    const late = NOW + 20_000;
    const back = late - AHEAD;
    const scheduled = (enqueuedTime: number, enqueueAt: number) =>
      messageRecord(3, { state: 2, enqueuedTime, details: { schedule: { enqueueAt, timeToLiveMs: NEVER } } });
    const before = messageRecord(1, { enqueuedTime: NOW, expiresAt: NOW + 90_000 });
    await write(place, [
      queuePut({ createdTime: NOW - 1, updatedTime: late }),
      topicPut({ createdTime: late, updatedTime: late }),
      subscriptionPut({ createdTime: late, updatedTime: late }),
      rulePut('all', { createdTime: late }),
      counterPut(4),
      ...[1, 2, 3].map((number) => contentStored(number)),
      messageIdNoted(1, { acceptedAt: NOW }),
      messageIdNoted(2, { acceptedAt: late }),
      messagePut(before),
      messagePut(messageRecord(2, { enqueuedTime: late, expiresAt: late + 7000 })),
      messagePut(scheduled(late, late + 3_600_000)),
      sessionStatePut('blue', { updatedTime: late }),
      timePut(NOW + AHEAD),
    ]);
    expect(await startAt(place, NOW)).toEqual({
      stored: [
        queuePut({ createdTime: NOW - 1, updatedTime: back }),
        topicPut({ createdTime: back, updatedTime: back }),
        subscriptionPut({ createdTime: back, updatedTime: back }),
        rulePut('all', { createdTime: back }),
        counterPut(4),
        messageIdNoted(1, { acceptedAt: NOW }),
        messageIdNoted(2, { acceptedAt: back }),
        messagePut(before),
        messagePut(messageRecord(2, { enqueuedTime: back, expiresAt: back + 7000 })),
        messagePut(scheduled(back, back + 3_600_000)),
        sessionStatePut('blue', { updatedTime: back }),
      ],
      lastTime: NOW,
      aheadMs: AHEAD,
      nextContentId: 4,
    });
  });

  test(`${where} what is stored after that keeps its times, also when the clock comes to where it had been`, async () => {
    const place = await makePlace();
    await write(place, [queuePut(), counterPut(4), ...sent(1, NOW + 20_000), timePut(NOW + AHEAD)]);
    await startAt(place, NOW, ...sent(2, NOW + 20_000), timePut(NOW + 20_000));
    await startAt(place, NOW + 30_000, ...sent(3, NOW + AHEAD + 1), timePut(NOW + AHEAD + 1));
    const kept = await startAt(place, NOW + 2 * AHEAD);
    expect(enqueuedTimes(kept)).toEqual([NOW + 20_000 - AHEAD, NOW + 20_000, NOW + AHEAD + 1]);
    expect(kept).toMatchObject({ lastTime: NOW + AHEAD + 1 });
    expect(kept.aheadMs).toBeUndefined();
  });

  test(`${where} a message that changes after that keeps its corrected times`, async () => {
    const place = await makePlace();
    await write(place, [queuePut(), counterPut(4), ...sent(1, NOW + 20_000), timePut(NOW + AHEAD)]);
    const [corrected = 0] = enqueuedTimes(await startAt(place, NOW));
    const changed = messageRecord(1, { enqueuedTime: corrected, details: { deadLetteredAt: NOW + 1 } });
    await startAt(place, NOW, messagePut(changed), timePut(NOW + 1));
    expect((await startAt(place, NOW + 2)).stored).toContainEqual(messagePut(changed));
  });

  test(`${where} a clock that is ahead a second time is corrected, too`, async () => {
    const place = await makePlace();
    await write(place, [queuePut(), counterPut(4), ...sent(1, NOW + 20_000), timePut(NOW + AHEAD)]);
    await startAt(place, NOW, ...sent(2, NOW + 5000), timePut(NOW + 70_000));
    const kept = await startAt(place, NOW + 4000);
    expect(kept.aheadMs).toBe(66_000);
    expect(enqueuedTimes(kept)).toEqual([NOW + 20_000 - AHEAD, NOW + 5000 - 66_000]);
  });

  test(`${where} the last time may be 5 s ahead of the clock`, async () => {
    const place = await makePlace();
    await write(place, [queuePut(), counterPut(4), ...sent(1, NOW + 1), timePut(NOW + 5000)]);
    const kept = await startAt(place, NOW, timePut(NOW + 5000));
    expect(kept.aheadMs).toBeUndefined();
    expect(enqueuedTimes(kept)).toEqual([NOW + 1]);
    expect(await rowOf(place, 'E')).toBeUndefined();
  });

  test(`${where} a start that appends nothing leaves the correction to the next`, async () => {
    const place = await makePlace();
    await write(place, [queuePut(), counterPut(4), ...sent(1, NOW + 20_000), timePut(NOW + AHEAD)]);
    await startAt(place, NOW);
    const kept = await startAt(place, NOW + 10_000);
    expect(kept.aheadMs).toBe(AHEAD - 10_000);
    expect(enqueuedTimes(kept)).toEqual([NOW + 20_000 - (AHEAD - 10_000)]);
  });
}

test('whatever the epochs, a time is read as it was meant, and never written as an earlier one', () => {
  const epochs = fc.array(fc.record({ after: fc.nat(1000), lessMs: fc.nat(1000) }), { maxLength: 4 });
  fc.assert(
    fc.property(epochs, fc.integer({ min: -1000, max: 5000 }), (list, now) => {
      const times = new TimeEpochs(list);
      const [written] = times.writeAll([timePut(now)]);
      if (written?.kind !== 'time-put') throw new Error('a time becomes a time');
      expect(times.read(written)).toEqual(timePut(now));
      expect(written.now).toBeGreaterThanOrEqual(now);
    }),
  );
});
