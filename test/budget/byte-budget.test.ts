// What one client may hold while others hold something, who waits, who has the turn, and who is ended.

import { beforeEach, describe, expect, test } from 'vitest';
import { ByteBudget, type ByteShare } from '../../src/budget/byte-budget.js';
import { settled } from '../support/engine-journal.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const LIMIT = 1000;

let timers: VirtualTimers;
let budget: ByteBudget;
let ended: string[];
beforeEach(() => {
  timers = new VirtualTimers();
  budget = new ByteBudget({ limitBytes: LIMIT, startTimer: timers.startTimer });
  ended = [];
});

/** A client that holds so many bytes, and goes when it is ended. */
function client(name: string, bytes = 0): ByteShare {
  const share = budget.open(() => {
    ended.push(name);
    share.close();
  });
  share.add(bytes);
  return share;
}

/** Waits for so much more, and says what came of it. */
function wanting(share: ByteShare, bytes: number): { state: 'waits' | 'taken' | 'gone' } {
  const outcome: { state: 'waits' | 'taken' | 'gone' } = { state: 'waits' };
  const taking = share.take(bytes);
  if (taking === undefined) outcome.state = 'taken';
  taking?.then(
    () => {
      outcome.state = 'taken';
    },
    () => {
      outcome.state = 'gone';
    },
  );
  return outcome;
}

/** Waits for so much more without the turn. */
function waiting(share: ByteShare, bytes: number): { hasGoneOn: boolean } {
  const outcome = { hasGoneOn: false };
  share.wait({
    bytes,
    mayExceed: () => false,
    goOn: () => {
      outcome.hasGoneOn = true;
      share.add(bytes);
    },
  });
  return outcome;
}

async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    timers.advance(1000);
    await settled();
  }
}

test('a client may hold as much as is free', () => {
  const alone = client('alone');
  expect([alone.fits(LIMIT), alone.fits(LIMIT + 1)]).toEqual([true, false]);
  alone.add(400);
  expect([alone.fits(200), alone.fits(201)]).toEqual([true, false]);
});

test('shares shrink as the sum grows, and a newcomer finds room', () => {
  const greedy = Array.from({ length: 9 }, (_, index) => client(`${index}`));
  for (let step = 0; step < LIMIT; step++) {
    for (const share of greedy) if (share.fits(1)) share.add(1);
  }
  expect(greedy.map(({ bytes }) => bytes)).toEqual(Array.from({ length: 9 }, () => 100));
  expect(client('new').fits(100)).toBe(true);
});

test('those who wait go on when there is room, in the order in which they came', async () => {
  const first = client('first', 400);
  client('second', 500);
  const waits = [300, 90, 300].map((bytes, index) => waiting(client(`${index}`), bytes));
  await settled();
  expect(waits.map(({ hasGoneOn }) => hasGoneOn)).toEqual([false, true, false]);
  first.close();
  await settled();
  expect(waits.map(({ hasGoneOn }) => hasGoneOn)).toEqual([true, true, false]);
});

test('a client that holds little goes on until the sum is twice the limit', () => {
  budget = new ByteBudget({ limitBytes: 4096 * 10, startTimer: timers.startTimer });
  const full = client('full', budget.limitBytes + 1);
  const newcomer = client('new', 8);
  expect([newcomer.fits(2), newcomer.fits(3)]).toEqual([true, false]);
  full.add(budget.limitBytes);
  expect(newcomer.fits(2)).toBe(false);
});

describe('the turn', () => {
  test('of answers is not the one of input, which half of a message may keep for long', async () => {
    client('full', LIMIT);
    const [half, other] = [client('half', 10), client('other', 10)];
    const states = { half: false, other: false };
    half.wait({
      goOn: () => {
        states.half = true;
      },
    });
    other.wait({
      goOn: () => {
        states.other = true;
      },
    });
    const wants = [client('a'), client('b')].map((share) => wanting(share, 500));
    await settled();
    expect([states, wants.map(({ state }) => state)]).toEqual([
      { half: true, other: false },
      ['taken', 'waits'],
    ]);
  });

  test('lets one at a time take more than its share, and passes on when that is given back', async () => {
    client('full', LIMIT);
    const shares = [client('a'), client('b'), client('c')];
    const wants = shares.map((share) => wanting(share, 2000));
    await settled();
    expect(wants.map(({ state }) => state)).toEqual(['taken', 'waits', 'waits']);
    shares[0]?.add(-1999);
    await settled();
    expect(wants.map(({ state }) => state)).toEqual(['taken', 'waits', 'waits']);
    shares[0]?.add(-1);
    await settled();
    expect(wants.map(({ state }) => state)).toEqual(['taken', 'taken', 'waits']);
    shares[1]?.close();
    await settled();
    expect(wants.map(({ state }) => state)).toEqual(['taken', 'taken', 'taken']);
  });

  test('is for one request of a client, and not for all that it has sent', async () => {
    client('full', 900);
    const share = client('a');
    const [one, other] = [{}, {}];
    const taken: string[] = [];
    void share.take(600, one)?.then(() => taken.push('one'));
    void share.take(600, other)?.then(() => taken.push('other'));
    await settled();
    expect(taken).toEqual(['one']);
    expect([share.mayTake(100, one), share.mayTake(100, other)]).toEqual([true, false]);
  });

  test('is not given to a client whom it does not help', async () => {
    client('full', 900);
    const share = client('a', 150);
    const states = { isHelped: false, hasGoneOn: false };
    share.wait({
      mayExceed: () => states.isHelped,
      goOn: () => {
        states.hasGoneOn = true;
      },
    });
    await settled();
    expect(states.hasGoneOn).toBe(false);
    states.isHelped = true;
    share.add(-10);
    await settled();
    expect(states.hasGoneOn).toBe(true);
  });

  test('is taken at once by a client that cannot wait, unless another has it or waits', async () => {
    client('full', LIMIT);
    const [first, second, third] = [client('a'), client('b'), client('c')];
    expect(first.claim(500)).toBe(true);
    first.add(500);
    expect(second.claim(500)).toBe(false);
    waiting(third, 300);
    first.close();
    expect(second.claim(500)).toBe(false);
  });

  test('ends with its client after 60 s in which others wait', async () => {
    client('full', 900);
    const slow = client('slow');
    wanting(slow, 500);
    await settled();
    const next = wanting(client('next'), 300);
    for (let second = 0; second < 59; second++) {
      slow.add(400);
      slow.add(-400);
      await seconds(1);
    }
    expect([ended, next.state]).toEqual([[], 'waits']);
    await seconds(1);
    expect([ended.includes('slow'), next.state]).toEqual([true, 'taken']);
  });
});

describe('a client that gives nothing back', () => {
  test('is left alone while nobody waits', async () => {
    client('a', 2000);
    await seconds(300);
    expect(ended).toEqual([]);
    expect(timers.delays).toEqual([]);
  });

  test('is ended after 60 s in which others wait, who then go on', async () => {
    client('stuck', 700);
    const wait = waiting(client('new'), 400);
    await seconds(60);
    expect([ended, wait.hasGoneOn]).toEqual([[], false]);
    await seconds(1);
    expect([ended, wait.hasGoneOn]).toEqual([['stuck'], true]);
  });

  test('is ended only until half of the budget is free, the largest and longest first: others may be stuck because of them', async () => {
    client('small', 50);
    client('a', 300);
    client('b', 400);
    client('c', 250);
    const wait = waiting(client('new', 50), 500);
    await seconds(61);
    expect([ended, wait.hasGoneOn]).toEqual([['b', 'a'], true]);
  });

  test('is not ended while it gives back as much as it holds', async () => {
    const busy = client('busy', 500);
    client('stuck', 400);
    waiting(client('new'), 800);
    for (let second = 0; second < 61; second++) {
      busy.add(-50);
      busy.add(50);
      await seconds(1);
    }
    expect(ended).toEqual(['stuck']);
  });
});

describe('a client that goes', () => {
  test('gives back all but what is still there, and that later', () => {
    const share = client('a', 500);
    share.close(200);
    expect(budget.sum).toBe(200);
    share.add(50);
    share.add(-150);
    share.add(-150);
    expect(budget.sum).toBe(0);
  });

  test('waits no more, and neither does it begin to', async () => {
    client('full', LIMIT);
    wanting(client('turn'), 2000);
    await settled();
    const share = client('a');
    const want = wanting(share, 300);
    share.close();
    const later = wanting(share, 2000);
    await settled();
    expect([want.state, later.state]).toEqual(['gone', 'gone']);
  });
});

test('the share of a client is found by what it belongs to', () => {
  const socket = {};
  const share = budget.open(() => {}, socket);
  expect([budget.of(socket), budget.of({})]).toEqual([share, undefined]);
});
