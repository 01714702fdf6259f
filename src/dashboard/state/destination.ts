// The stores of messages: the path of the one that a tab shows, and to where its messages are sent.

import type { Tab } from './route.js';

/** The queue of a dead letter, the topic of a subscription. */
export function destinationOf(store: string, source?: string): string {
  return (source ?? store)
    .replace(/\/\$(?:Transfer\/)?\$?DeadLetterQueue$|\/\$Transfer(?:\/\$DeadLetterQueue)?$/i, '')
    .replace(/\/Subscriptions\/[^/]+$/i, '');
}

/** The path of the store that a tab shows. */
export function storePathOf(path: string, tab: Tab): string {
  if (tab === 'dead') return `${path}/$DeadLetterQueue`;
  return tab === 'transfer-dead' ? `${path}/$Transfer/$DeadLetterQueue` : path;
}
