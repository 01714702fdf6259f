// Faults as a line of words, and what they do in words for people.

import { expect, test } from 'vitest';
import type { FaultEffect } from '../../src/steer/fault.js';
import { describeEffect, parseFaultText } from '../../src/steer/fault-text.js';

test.each([
  ['server-busy', { on: 'send', error: 'server-busy' }],
  ['  complete   lose-answer times=2 ', { on: 'complete', loseAnswer: true, times: 2 }],
  ['Lose-Answer', { on: 'send', loseAnswer: true }],
  ['delay=0.5', { on: 'send', delay: 500 }],
  ['receive end-lock delay=PT1M', { on: 'receive', endLock: true, delay: 60_000 }],
  ['receive deliver-twice', { on: 'receive', deliverTwice: true }],
  ['any reset', { on: 'any', reset: true }],
  ['send complete close', { on: ['send', 'complete'], close: true }],
  ['on=peek,attach detach=stolen', { on: ['peek', 'attach'], detach: 'stolen' }],
  [
    'silence nth=3 probability=0.5 seed=4 above=2 status=503 jitter=1 for=2',
    {
      on: 'send',
      silence: true,
      nth: 3,
      probability: 0.5,
      seed: 4,
      above: 2,
      status: 503,
      jitter: 1000,
      for: 2000,
    },
  ],
  ['delay=soon', { on: 'send', delay: 'soon' }],
  ['times=many', { on: 'send', times: 'many' }],
  ['', { on: 'send', error: '' }],
])("'%s' is read as %j", (text, fault) => {
  expect(parseFaultText(text)).toEqual(fault);
});

test.each<[FaultEffect, number, string]>([
  [{ kind: 'error', condition: 'amqp:not-found', text: 'gone' }, 0, 'error amqp:not-found'],
  [{ kind: 'error', condition: 'amqp:not-found', text: undefined }, 200, 'error amqp:not-found after 200 ms'],
  [{ kind: 'status', status: 503, text: undefined }, 0, 'status 503'],
  [{ kind: 'detach', condition: 'amqp:link:stolen', text: undefined }, 0, 'detach amqp:link:stolen'],
  [{ kind: 'delay' }, 30, 'delay 30 ms'],
  [{ kind: 'lose-answer' }, 5, 'lose-answer after 5 ms'],
])('%j after %i ms is "%s"', (effect, delayMs, text) => {
  expect(describeEffect(effect, delayMs)).toBe(text);
});
