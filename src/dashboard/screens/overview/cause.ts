// A cause of trouble as the emulator tells it (`GET causes`), and the place of the page where it is mended.

import type { CausesAnswer } from '../../../http/control/control-schemas.js';
import { withReason } from '../../state/message-filter.js';
import type { Route } from '../../state/route.js';

/** Its sentences are those of the emulator; text of senders in them is not escaped. */
export type Cause = CausesAnswer['causes'][number];

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
  const isOne = cause.count === 1 && sequenceNumber !== undefined;
  if (isOne && (kind === 'dead-letters' || subQueue === 'transferDeadLetter'))
    return { screen: 'message', path, tab, sequenceNumber };
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
