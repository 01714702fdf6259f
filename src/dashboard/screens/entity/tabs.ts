// The tabs of an entity that list messages: their names, glyphs, states and counts.

import type { EntityAnswer, MessageAnswer } from '../../../http/control/control-schemas.js';
import type { IconName } from '../../parts/icon.js';
import type { Tab } from '../../state/route.js';

export type MessageTab = Exclude<Tab, 'rates' | 'settings'>;
type State = MessageAnswer['state'];
type Counts = EntityAnswer['counts'];

export const MESSAGE_TABS: readonly MessageTab[] = [
  'active',
  'locked',
  'scheduled',
  'deferred',
  'dead',
  'transfer-dead',
];

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  active: 'Active',
  locked: 'Locked',
  scheduled: 'Scheduled',
  deferred: 'Deferred',
  dead: 'Dead-letter',
  'transfer-dead': 'Transfer dead-letter',
  rates: 'Rates',
  settings: 'Settings',
};

export const TAB_ICONS: Readonly<Partial<Record<Tab, IconName>>> = {
  active: 'active',
  locked: 'locked',
  scheduled: 'scheduled',
  deferred: 'deferred',
  dead: 'dead',
};

const ALL_STATES: readonly State[] = ['active', 'locked', 'scheduled', 'deferred'];

export function isMessageTab(tab: Tab): tab is MessageTab {
  return tab !== 'rates' && tab !== 'settings';
}

export function isDeadTab(tab: Tab): boolean {
  return tab === 'dead' || tab === 'transfer-dead';
}

/** The states that a tab shows: a dead-letter queue holds messages in any state. */
export function statesOf(tab: MessageTab): readonly State[] {
  return tab === 'dead' || tab === 'transfer-dead' ? ALL_STATES : [tab];
}

export function countOf(counts: Counts, tab: MessageTab): number {
  if (tab === 'dead') return counts.deadLetter;
  return tab === 'transfer-dead' ? counts.transferDeadLetter : counts[tab];
}

/** The tabs that an entity of this kind has: a topic holds scheduled messages alone. */
export function tabsOf(kind: EntityAnswer['kind']): readonly Tab[] {
  if (kind === 'topic') return ['scheduled', 'rates', 'settings'];
  return [...MESSAGE_TABS, 'rates', 'settings'];
}

/** Why a list is empty, and what would fill it. */
export function emptyText(tab: MessageTab, entity: string): readonly [title: string, text: string] {
  switch (tab) {
    case 'active':
      return [
        `No message of ${entity} can be received now.`,
        `A message that is sent to ${entity} appears here.`,
      ];
    case 'locked':
      return [
        'No message is locked.',
        'A receiver in peek-lock mode holds each message until it settles it.',
      ];
    case 'scheduled':
      return ['No message is scheduled.', 'A message that is sent for a later time waits here until then.'];
    case 'deferred':
      return ['No message is deferred.', 'A receiver defers a message to receive it later by its number.'];
    case 'dead':
      return [
        'No dead letters.',
        'A message comes here after the most deliveries, at the end of its time to live, or when a receiver says so.',
      ];
    case 'transfer-dead':
      return [
        'No transfer dead letters.',
        'A message comes here when it cannot be forwarded to its destination.',
      ];
  }
}
