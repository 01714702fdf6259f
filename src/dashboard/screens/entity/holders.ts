// Who holds which message, and when messages became dead letters: both from events, the former from the connections as well.

import { useEffect, useState } from 'preact/hooks';
import type { ConnectionsAnswer } from '../../../http/control/control-schemas.js';
import { get } from '../../state/api.js';
import { linkClientName } from '../../state/format.js';
import { onEvents, openedCount, recentEvents } from '../../state/model.js';
import type { PageEvent } from '../../state/page-event.js';
import type { Row } from './message-row.js';
import { isDeadTab, type MessageTab } from './tabs.js';

/** Times that are kept: as many as the page keeps events. */
const MOST_TIMES = 20_000;

/** Returns the name of the receiver that a link belongs to. */
export function useHolders(tab: MessageTab): (row: Row) => string | undefined {
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const isShown = tab === 'locked';
  const opened = openedCount.value;
  useEffect(() => {
    if (!isShown) return;
    let ending = new AbortController();
    const look = () => {
      // An older answer would lack the names of newer links.
      ending.abort();
      ending = new AbortController();
      get<ConnectionsAnswer>('connections', {}, ending.signal).then(
        (answer) => setNames(namesOf(answer)),
        () => {}, // a row without its holder's name says enough
      );
    };
    look();
    const stop = onEvents((events) => {
      if (events.some(({ kind }) => kind === 'link-attached')) look();
    });
    return () => {
      ending.abort();
      stop();
    };
  }, [isShown, opened]);
  return ({ lock }) => (lock?.linkId === undefined ? undefined : names.get(lock.linkId));
}

function namesOf({ connections }: ConnectionsAnswer): ReadonlyMap<number, string> {
  return new Map(
    connections.flatMap(({ label, links }) =>
      links.flatMap(({ linkId, identifier }): [number, string][] =>
        linkId === undefined ? [] : [[linkId, linkClientName(label, identifier)]],
      ),
    ),
  );
}

/** Returns when a message became a dead letter. */
export function useDeadSince(path: string, tab: MessageTab): (row: Row) => string | undefined {
  const [times] = useState(() => new Map<number, string>());
  const isShown = isDeadTab(tab);
  useEffect(() => {
    if (!isShown) return;
    const take = (events: readonly PageEvent[]) => {
      for (const { kind, path: where, sequenceNumber, time } of events) {
        if (kind !== 'dead-lettered' || sequenceNumber === undefined || where !== path) continue;
        times.delete(sequenceNumber);
        times.set(sequenceNumber, time);
      }
      for (const oldest of times.keys()) {
        if (times.size <= MOST_TIMES) break;
        times.delete(oldest);
      }
    };
    take(recentEvents());
    return onEvents(take);
  }, [path, isShown, times]);
  return ({ sequenceNumber }) => times.get(sequenceNumber);
}
