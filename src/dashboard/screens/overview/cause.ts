// A cause of trouble as the emulator tells it (`GET causes`), and the place of the page where it is mended.

import { withReason } from '../../state/message-filter.js';
import type { Route } from '../../state/route.js';

export type Cause = {
  readonly key: string;
  readonly kind:
    | 'dead-letters'
    | 'locks-run-out'
    | 'sessions-lost'
    | 'missing-entity'
    | 'refused'
    | 'client-refused'
    | 'full'
    | 'forwarding'
    | 'unmatched'
    | 'fault';
  readonly isBad: boolean;
  /** Sentences of the emulator; text of senders in them is not escaped. */
  readonly title: string;
  readonly text: string;
  readonly path?: string | undefined;
  readonly subQueue?: 'deadletter' | 'transferDeadLetter' | undefined;
  readonly reason?: string | undefined;
  readonly newestTime: string;
  /** The number of the newest message. */
  readonly sequenceNumber?: number | undefined;
  /** The path of the entity that was probably meant. */
  readonly suggestion?: string | undefined;
};

export type CausesAnswer = { readonly causes: readonly Cause[] };

/** The messages, the settings or the tool with which the cause is mended. */
export function placeOfCause(cause: Cause): Route {
  const { kind, path, subQueue, sequenceNumber, suggestion } = cause;
  if (kind === 'client-refused') return { screen: 'connect' };
  if (kind === 'fault') return { screen: 'clock' };
  if (kind === 'sessions-lost') return { screen: 'sessions' };
  if (kind === 'missing-entity') {
    return suggestion === undefined ? { screen: 'connections' } : entityPlace(suggestion, 'active');
  }
  if (path === undefined) return { screen: 'connections' };
  if (kind === 'unmatched') return { screen: 'rules', topic: path };
  const tab = subQueue === 'transferDeadLetter' ? 'transfer-dead' : 'dead';
  if (kind === 'dead-letters') return entityPlace(path, tab, withReason('', cause.reason));
  if (kind === 'forwarding' && subQueue !== undefined) return entityPlace(path, tab);
  if (kind === 'locks-run-out' && sequenceNumber !== undefined) {
    return { screen: 'message', path, tab: subQueue === undefined ? 'active' : tab, sequenceNumber };
  }
  return entityPlace(path, 'settings');
}

function entityPlace(
  path: string,
  tab: 'active' | 'dead' | 'transfer-dead' | 'settings',
  filter = '',
): Route {
  return { screen: 'entity', path, tab, filter };
}
