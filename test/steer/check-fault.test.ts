// What a fault may say: each wrong field is refused in words that tell what is possible, and the rest has its defaults.

import { describe, expect, test } from 'vitest';
import { checkFault } from '../../src/steer/check-fault.js';
import { FAULT_OPERATIONS, FaultError } from '../../src/steer/fault.js';
import { countingGuids } from '../support/broker-builders.js';
import { messageView } from './fault-message.js';

const BUSY = 'com.microsoft:server-busy';
const SEND = { on: 'send', error: 'server-busy' };

const check = (given: unknown) => checkFault(given, countingGuids());

function refusalOf(given: unknown): string {
  try {
    check(given);
  } catch (error) {
    if (error instanceof FaultError) return error.message;
    throw error;
  }
  throw new Error(`it was taken: ${JSON.stringify(given)}`);
}

describe('a fault is refused', () => {
  test.each([
    [
      undefined,
      "A fault is an object such as { on: 'send', error: 'com.microsoft:server-busy' }, not undefined.",
    ],
    [
      [SEND],
      'A fault is an object such as { on: \'send\', error: \'com.microsoft:server-busy\' }, not [{"on":"send","error":"server-busy"}].',
    ],
    [{ ...SEND, tims: 2 }, "A fault has no 'tims'. Did you mean 'times'?"],
    [
      { ...SEND, detour: 2 },
      /^A fault has no 'detour'\. It may have: on, entity, match, text, error, status, /,
    ],
    [{ error: BUSY }, /^A fault needs 'on', its operation: any, send, receive, complete, /],
    [{ ...SEND, on: [] }, /^A fault needs 'on', its operation: any, send, /],
    [{ ...SEND, on: 'sent' }, "'on' is \"sent\", which is not an operation. Did you mean 'send'?"],
    [
      { ...SEND, on: ['send', 'swim-away'] },
      /^'on' is "swim-away", which is not an operation\. Possible are: any, send/,
    ],
    [{ ...SEND, on: 7 }, /^'on' is 7, which is not an operation\. Possible are: any, send, /],
    [{ ...SEND, entity: '' }, '\'entity\' must be the path of an entity, not "".'],
    [{ ...SEND, entity: 3 }, "'entity' must be the path of an entity, not 3."],
    [{ ...SEND, match: '' }, "'match' must be a filter such as region = 'EU', not \"\"."],
    [
      { ...SEND, match: 'region = ' },
      /^'match' cannot be read: The SQL filter is invalid at line 1, column 10: /,
    ],
    [
      { ...SEND, on: 'peek', match: '1=1' },
      "'match' is for send, receive, complete, abandon, dead-letter, defer; the message of 'peek' is not known, so leave 'match' out.",
    ],
  ])('%j: its shape and where it happens', (given, message) => expectRefusal(given, message));

  test.each([
    [{ on: 'send' }, /^A fault needs an effect: error, status, .*, endLock or delay\.$/],
    [{ on: 'send', delay: 0 }, /^A fault needs an effect: /],
    [{ on: 'send', text: 'sorry', delay: 5 }, "'text' needs the 'error' that it describes."],
    [
      { ...SEND, reset: true },
      "A fault does only one thing, but this one has 'error' and 'reset'. Leave one out, or add two faults: if both are for the same operation, the first happens until its 'times' are used up, then the second.",
    ],
    [{ ...SEND, error: 5 }, "'error' must be a condition, not 5."],
    [
      { ...SEND, error: 'server-bussy' },
      "'server-bussy' is not a condition that clients know. Did you mean 'server-busy'?",
    ],
    [
      { ...SEND, error: 'rain' },
      /^'rain' is not a condition that clients know\. Possible are: com\.microsoft:/,
    ],
    [{ ...SEND, text: '' }, '\'text\' must be a sentence, not "".'],
    [{ on: 'send', status: 200 }, "'status' must be an HTTP status from 400 to 599, not 200."],
    [{ on: 'send', status: '503' }, '\'status\' must be an HTTP status from 400 to 599, not "503".'],
    [{ on: 'send', status: 503.5 }, "'status' must be an HTTP status from 400 to 599, not 503.5."],
    [{ on: 'send', detach: false }, "'detach' must be true or a condition, not false."],
    [{ on: 'send', close: 'rain' }, /^'rain' is not a condition that clients know/],
    [{ on: 'send', reset: false }, "'reset' must be true or left out, not false."],
    [{ on: 'send', silence: 'yes' }, '\'silence\' must be true or left out, not "yes".'],
    [{ on: 'send', loseAnswer: 1 }, "'loseAnswer' must be true or left out, not 1."],
    [{ on: 'send', loseAnswer: true, text: 'lost' }, "'text' is for an error, but 'loseAnswer' gives none."],
    [{ on: 'send', deliverTwice: true }, "'deliverTwice' is for receive, not for 'send'."],
    [{ on: ['receive', 'complete'], endLock: true }, "'endLock' is for receive, not for 'complete'."],
    [
      { on: 'peek', status: 503 },
      "'status' is for send, receive, complete, abandon, renew-lock, administration, not for 'peek'.",
    ],
  ])('%j: what happens', (given, message) => expectRefusal(given, message));

  test.each([
    [{ on: 'send', delay: 'soon' }, /^'delay' must be a duration such as .*"soon"/],
    [{ on: 'send', delay: -1 }, /^'delay' must be 0 ms or more, not -1\.$/],
    [{ on: 'send', delay: 25 * 3_600_000 }, "'delay' must not be longer than P1D, but 90000000 ms is."],
    [{ on: 'send', delay: 'P99999999D' }, '\'delay\' must not be longer than P1D, but "P99999999D" is.'],
    [{ on: 'send', jitter: true }, /^'jitter' must be .*, not true\.$/],
    [{ ...SEND, for: 'PT25H' }, '\'for\' must not be longer than P1D, but "PT25H" is.'],
    [{ ...SEND, nth: 0 }, "'nth' must be a whole number of at least 1, not 0."],
    [{ ...SEND, times: 1.5 }, "'times' must be a whole number of at least 1, not 1.5."],
    [{ ...SEND, above: '3' }, '\'above\' must be a whole number of at least 1, not "3".'],
    [{ ...SEND, probability: 0 }, "'probability' must be above 0 and at most 1, not 0."],
    [{ ...SEND, probability: 1.01 }, "'probability' must be above 0 and at most 1, not 1.01."],
    [{ ...SEND, probability: Number.NaN }, "'probability' must be above 0 and at most 1, not null."],
    [{ ...SEND, seed: 0.5 }, "'seed' must be a whole number, not 0.5."],
  ])('%j: when, and how often', (given, message) => expectRefusal(given, message));

  function expectRefusal(given: unknown, message: string | RegExp): void {
    if (typeof message === 'string') expect(refusalOf(given)).toBe(message);
    else expect(refusalOf(given)).toMatch(message);
  }

  test('with no more than a part of what was given, however long it is', () => {
    expect(refusalOf({ ...SEND, entity: ['x'.repeat(5000)] }).length).toBeLessThan(200);
    expect(refusalOf({ ...SEND, error: 'x'.repeat(5000) }).length).toBeLessThan(2000);
  });
});

describe('a fault that is taken', () => {
  test('befalls its operations everywhere and always, at once, unless it says otherwise', () => {
    const fault = { on: 'send', error: 'server-busy' } as const;
    expect(check(fault)).toEqual({
      given: fault,
      operations: new Set(['send']),
      entity: undefined,
      match: undefined,
      effect: { kind: 'error', condition: BUSY, text: undefined },
      delayMs: 0,
      jitterMs: 0,
      forMs: Number.POSITIVE_INFINITY,
      nth: 1,
      times: Number.POSITIVE_INFINITY,
      probability: 1,
      seed: 1,
      above: 0,
    });
  });

  test.each([
    [{ nth: 3 }, { nth: 3, times: 1 }],
    [
      { nth: 3, times: 2 },
      { nth: 3, times: 2 },
    ],
    [{ times: 2 }, { nth: 1, times: 2 }],
    [
      { seed: -7, probability: 0.5, above: 9 },
      { seed: -7, probability: 0.5, above: 9 },
    ],
    [
      { delay: 'PT0.5S', jitter: 20, for: 'PT1M' },
      { delayMs: 500, jitterMs: 20, forMs: 60_000 },
    ],
  ])('%j is understood as %j', (given, understood) => {
    expect(check({ ...SEND, ...given })).toMatchObject(understood);
  });

  test.each([
    [
      { error: 'timeout', text: 'later' },
      { kind: 'error', condition: 'com.microsoft:timeout', text: 'later' },
    ],
    [{ error: 'AMQP:Not-Found' }, { kind: 'error', condition: 'amqp:not-found' }],
    [{ status: 429 }, { kind: 'status', status: 429 }],
    [{ detach: true }, { kind: 'detach', condition: 'amqp:link:detach-forced' }],
    [{ detach: 'stolen' }, { kind: 'detach', condition: 'amqp:link:stolen' }],
    [{ close: true }, { kind: 'close', condition: 'amqp:connection:forced' }],
    [{ close: 'internal-error' }, { kind: 'close', condition: 'amqp:internal-error' }],
    [{ reset: true }, { kind: 'reset' }],
    [{ silence: true }, { kind: 'silence' }],
    [{ loseAnswer: true }, { kind: 'lose-answer' }],
    [{ deliverTwice: true }, { kind: 'deliver-twice' }],
    [{ endLock: true, delay: 9 }, { kind: 'end-lock' }],
    [{ delay: 5 }, { kind: 'delay' }],
    [{ jitter: 5 }, { kind: 'delay' }],
  ])('%j has the effect %j', (given, effect) => {
    expect(check({ on: 'receive', ...given }).effect).toMatchObject(effect);
  });

  test("befalls with 'any' those operations that its filter, its status or its effect is for", () => {
    const withMessage = ['send', 'receive', 'complete', 'abandon', 'dead-letter', 'defer'];
    expect([...check({ on: 'any', error: BUSY, match: 'n = 1' }).operations]).toEqual(withMessage);
    expect([...check({ on: ['any'], status: 503 }).operations]).toContain('administration');
    expect([...check({ on: 'any', status: 503 }).operations]).not.toContain('schedule');
    expect([...check({ on: 'any', endLock: true }).operations]).toEqual(['receive']);
  });

  test("befalls each operation with 'any', and several with a list", () => {
    expect([...check({ ...SEND, on: 'any' }).operations]).toEqual(FAULT_OPERATIONS);
    expect([...check({ ...SEND, on: ['peek', 'attach'] }).operations]).toEqual(['peek', 'attach']);
  });

  test.each([
    ['orders', ['orders', 'Orders'], ['orders2', 'my-orders', 'orders/$DeadLetterQueue']],
    [
      'events/Subscriptions/*',
      ['events/subscriptions/a', 'events/Subscriptions/a/$DeadLetterQueue'],
      ['events'],
    ],
    ['*', ['', 'orders', 'a/b'], []],
    ['a.b(c', ['a.b(c'], ['axb(c']],
    ['o*s', ['os', 'orders'], ['order']],
  ])('%s as an entity stands for %j, and not for %j', (entity, fitting, others) => {
    const { entity: pattern } = check({ ...SEND, entity });
    expect([...fitting, ...others].filter((path) => pattern?.test(path))).toEqual(fitting);
  });

  test('has its filter compiled, which sees application and system properties', () => {
    const { match } = check({ ...SEND, match: "region = 'EU' AND sys.Label = 'paid'" });
    const paid = (region: string) => messageView({ subject: 'paid', user: { region } });
    expect(match?.matches(paid('EU'))).toBe(true);
    expect(match?.matches(paid('US'))).toBe(false);
  });
});
