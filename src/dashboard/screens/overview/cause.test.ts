import { describe, expect, it } from 'vitest';
import type { Route } from '../../state/route.js';
import { type Cause, placeOfCause } from './cause.js';

const TIME = '2026-05-01T12:00:00.000Z';
const BASE = { key: 'k', isBad: true, title: '', text: '', count: 1, oldestTime: TIME, newestTime: TIME };
const entity = (path: string, tab: 'active' | 'dead' | 'transfer-dead' | 'settings', filter = ''): Route => ({
  screen: 'entity',
  path,
  tab,
  filter,
});

describe('a cause leads to where it is mended:', () => {
  it.each<[string, Partial<Cause> & Pick<Cause, 'kind'>, Route]>([
    [
      'dead letters of one reason',
      { kind: 'dead-letters', path: 'orders', subQueue: 'deadletter', reason: 'Bad price' },
      entity('orders', 'dead', 'reason:"Bad price"'),
    ],
    [
      'dead letters of transfers',
      { kind: 'dead-letters', path: 'orders', subQueue: 'transferDeadLetter' },
      entity('orders', 'transfer-dead'),
    ],
    [
      'one dead letter alone',
      {
        kind: 'dead-letters',
        path: 'orders',
        subQueue: 'deadletter',
        reason: 'Bad price',
        sequenceNumber: 7,
      },
      { screen: 'message', path: 'orders', tab: 'dead', sequenceNumber: 7 },
    ],
    [
      'the message whose lock ran out',
      { kind: 'locks-run-out', path: 'orders', sequenceNumber: 7 },
      { screen: 'message', path: 'orders', tab: 'active', sequenceNumber: 7 },
    ],
    [
      'the entity that was meant',
      { kind: 'missing-entity', path: 'order', suggestion: 'orders' },
      entity('orders', 'active'),
    ],
    ['who asks for what is not there', { kind: 'missing-entity', path: 'zzz' }, { screen: 'connections' }],
    ['the rules of a topic', { kind: 'unmatched', path: 'events' }, { screen: 'rules', topic: 'events' }],
    ['the settings of a full queue', { kind: 'full', path: 'orders' }, entity('orders', 'settings')],
    ['the string that a client needs', { kind: 'client-refused' }, { screen: 'connect' }],
    ['the sessions', { kind: 'sessions-lost', path: 'carts' }, { screen: 'sessions' }],
    ['the faults', { kind: 'fault', path: 'orders' }, { screen: 'clock' }],
  ])('%s', (_, cause, place) => {
    expect(placeOfCause({ ...BASE, ...cause })).toEqual(place);
  });
});
