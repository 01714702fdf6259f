import { describe, expect, it } from 'vitest';
import { listedOf, queue, topic } from '../testing/listed.js';
import { findEntities } from './find-entities.js';

const ENTITIES = listedOf(
  ...[queue('reorders'), queue('orders-eu'), queue('Orders'), queue('team/orders')],
  topic('events', ['orders', ['$Default']], ['mail', ['$Default']]),
);

function found(text: string) {
  return findEntities(text, ENTITIES).map((route) => ('path' in route ? route.path : route.screen));
}

describe('a search for an entity', () => {
  it('finds those of that name first, then those that begin with it, then those that have it somewhere', () => {
    expect(found(' ORDERS ')).toEqual([
      ...['Orders', 'team/orders', 'events/Subscriptions/orders'],
      ...['orders-eu', 'reorders'],
    ]);
  });

  it('finds a subscription by a part of its path', () => {
    expect(found('events/subscriptions/m')).toEqual(['events/Subscriptions/mail']);
  });

  it('leads to its active messages', () => {
    expect(findEntities('reorders', ENTITIES)).toEqual([
      { screen: 'entity', path: 'reorders', tab: 'active', filter: '' },
    ]);
  });

  it.each(['', '   ', 'nowhere', '.*'])('finds nothing for %j', (text) => {
    expect(found(text)).toEqual([]);
  });
});
