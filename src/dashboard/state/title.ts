// The title of the page in the tabs of a browser: the place, what needs a look there, and whose emulator it is.

import { plural, spokenPath } from './format.js';
import type { Route } from './route.js';
import type { Listed } from './store.js';

const NAMES = {
  overview: 'Overview',
  flow: 'Flow',
  timeline: 'Timeline',
  sessions: 'Sessions & locks',
  connections: 'Connections',
  clock: 'Clock & faults',
  connect: 'Connect',
  about: 'About',
  unknown: 'No such page',
  compose: 'New message',
  rules: 'Rules tester',
} as const;

/** `orders: 3 dead letters · shop` */
export function titleOf(at: Route, entities: readonly Listed[], label: string | undefined): string {
  return `${placeOf(at, entities)} · ${label ?? 'Jitney'}`;
}

function placeOf(at: Route, entities: readonly Listed[]): string {
  if (at.screen === 'entity') return entityPlace(at.path, at.tab, entities);
  if (at.screen === 'message') return `${spokenPath(at.path)} #${at.sequenceNumber}`;
  if (at.screen === 'rules' && at.topic !== undefined) return `${at.topic}: rules tester`;
  if (at.screen !== 'overview') return NAMES[at.screen];
  const dead = entities.reduce((sum, { counts }) => sum + counts.deadLetter, 0);
  return dead === 0 ? NAMES.overview : `${NAMES.overview}: ${plural(dead, 'dead letter')}`;
}

function entityPlace(path: string, tab: string, entities: readonly Listed[]): string {
  const entity = entities.find((one) => one.path.toLowerCase() === path.toLowerCase());
  const name = spokenPath(path);
  if (tab === 'settings' || tab === 'rates' || entity === undefined || entity.kind === 'topic') return name;
  const { active, deadLetter } = entity.counts;
  if (tab === 'dead' || (deadLetter > 0 && active === 0))
    return `${name}: ${plural(deadLetter, 'dead letter')}`;
  return tab === 'active' ? `${name}: ${plural(active, 'message')}` : name;
}
