// The store of the page, for the screens that are not handed it yet. New code takes it from `useStore`.

import type { EntityAnswer } from '../../http/control/control-schemas.js';
import { get } from './api.js';
import { Store } from './store.js';

export type { Link, Listed } from './store.js';

export const page = new Store();
export const info = page.info;
export const clock = page.clock;
export const entities = page.entities;
export const listed = page.listed;
export const eventCount = page.eventCount;
export const isPaused = page.isPaused;
export const openedCount = page.openedCount;
export const now = page.now;
export const link = page.link;
export const lostSince = page.lostSince;
export const missedCount = page.missedCount;
export const rates = page.rates;
export const recentEvents = page.recentEvents.bind(page);
export const onEvents = page.onEvents.bind(page);
export const onRestart = page.onRestart.bind(page);
export const entityAt = page.entityAt.bind(page);
export const refreshEntities = page.refreshEntities.bind(page);
export const refreshClock = page.refreshClock.bind(page);

export function lookAt(path: string): Promise<EntityAnswer> {
  return get<EntityAnswer>('entity', { entity: path });
}
