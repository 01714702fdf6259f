import { describe, expect, it } from 'vitest';
import { listedOf, queue, topic } from '../testing/listed.js';
import type { Route } from './route.js';
import { titleOf } from './title.js';

const ENTITIES = listedOf(
  queue('orders', { active: 1, deadLetter: 3 }),
  queue('idle', { deadLetter: 1 }),
  topic('events', ['eu', []]),
);

describe('the title of', () => {
  it.each<[string, Route]>([
    ['Overview: 4 dead letters · shop', { screen: 'overview' }],
    ['orders: 3 dead letters · shop', { screen: 'entity', path: 'orders', tab: 'dead', filter: '' }],
    ['orders: 1 message · shop', { screen: 'entity', path: 'orders', tab: 'active', filter: '' }],
    ['idle: 1 dead letter · shop', { screen: 'entity', path: 'idle', tab: 'active', filter: '' }],
    ['orders · shop', { screen: 'entity', path: 'orders', tab: 'settings', filter: '' }],
    ['events · shop', { screen: 'entity', path: 'events', tab: 'scheduled', filter: '' }],
    [
      'events/eu: 0 messages · shop',
      { screen: 'entity', path: 'events/Subscriptions/eu', tab: 'active', filter: '' },
    ],
    ['gone · shop', { screen: 'entity', path: 'gone', tab: 'active', filter: '' }],
    ['orders #17 · shop', { screen: 'message', path: 'orders', tab: 'active', sequenceNumber: 17 }],
    ['events: rules tester · shop', { screen: 'rules', topic: 'events' }],
    ['Clock & faults · shop', { screen: 'clock' }],
    ['No such page · shop', { screen: 'unknown', address: 'zzz' }],
  ])('%s', (title, at) => {
    expect(titleOf(at, ENTITIES, 'shop')).toBe(title);
  });

  it('an emulator without a label is that of Jitney', () => {
    expect(titleOf({ screen: 'overview' }, [], undefined)).toBe('Overview · Jitney');
  });
});
