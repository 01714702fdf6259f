// The tabs of an entity: their names, glyphs and counts, and the states of the messages that they list.

import type { EntityAnswer, MessageAnswer } from '../../../http/control/control-schemas.js';
import type { IconName } from '../../parts/icon.js';
import type { Tab } from '../../state/route.js';

export type MessageTab = Exclude<Tab, 'subscriptions' | 'sessions' | 'rates' | 'settings'>;
type Counts = EntityAnswer['counts'];

const MESSAGE_TABS: readonly MessageTab[] = [
  'active',
  'locked',
  'scheduled',
  'deferred',
  'dead',
  'transfer-dead',
];

export const TAB_NAMES: Readonly<Record<Tab, string>> = {
  subscriptions: 'Subscriptions',
  active: 'Active',
  sessions: 'Sessions',
  locked: 'Locked',
  scheduled: 'Scheduled',
  deferred: 'Deferred',
  dead: 'Dead-letter',
  'transfer-dead': 'Transfer dead-letter',
  rates: 'Rates',
  settings: 'Settings',
};

export const TAB_ICONS: Readonly<Partial<Record<Tab, IconName>>> = {
  subscriptions: 'subscription',
  active: 'active',
  sessions: 'session',
  locked: 'locked',
  scheduled: 'scheduled',
  deferred: 'deferred',
  dead: 'dead',
};

export function isMessageTab(tab: Tab): tab is MessageTab {
  return MESSAGE_TABS.some((each) => each === tab);
}

export function isDeadTab(tab: Tab): boolean {
  return tab === 'dead' || tab === 'transfer-dead';
}

/** The state that a tab shows; undefined for a dead-letter queue, which holds messages in any state. */
export function stateOf(tab: MessageTab): MessageAnswer['state'] | undefined {
  return tab === 'dead' || tab === 'transfer-dead' ? undefined : tab;
}

export function countOf(counts: Counts, tab: MessageTab): number {
  if (tab === 'dead') return counts.deadLetter;
  return tab === 'transfer-dead' ? counts.transferDeadLetter : counts[tab];
}

/** The number on a tab; undefined for a tab without one. */
export function tabCount(entity: EntityAnswer, tab: Tab): number | undefined {
  if (isMessageTab(tab)) return countOf(entity.counts, tab);
  if (tab === 'subscriptions') return entity.kind === 'topic' ? entity.subscriptions.length : undefined;
  return tab === 'sessions' && entity.kind !== 'topic' ? entity.sessions?.count : undefined;
}

/** The tabs that an entity has: a topic holds scheduled messages alone. */
export function tabsOf(entity: EntityAnswer): readonly Tab[] {
  if (entity.kind === 'topic') return ['subscriptions', 'scheduled', 'rates', 'settings'];
  const [active, ...others] = MESSAGE_TABS;
  const sessions = entity.requiresSession ? (['sessions'] as const) : [];
  return [active ?? 'active', ...sessions, ...others, 'rates', 'settings'];
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
        'A message comes here after its last delivery, at the end of its time to live, or when a receiver says so.',
      ];
    case 'transfer-dead':
      return [
        'No transfer dead letters.',
        'A message comes here when it cannot be forwarded to its destination.',
      ];
  }
}
