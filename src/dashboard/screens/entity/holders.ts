// The receivers that hold messages and sessions, by their links.

import type { ConnectionAnswer, ConnectionsAnswer } from '../../../http/control/control-schemas.js';
import { linkClientName } from '../../state/format.js';
import { usePolled } from '../../state/use-polled.js';

const EACH_MS = 2000;

/** Returns the name of the receiver that a link belongs to. Nothing is asked while `isShown` is false. */
export function useHolders(isShown = true): (linkId: number | undefined) => string | undefined {
  const { value } = usePolled<ConnectionsAnswer>('connections', { every: EACH_MS, when: isShown });
  const names = new Map((value?.connections ?? []).flatMap(namesOf));
  return (linkId) => (linkId === undefined ? undefined : names.get(linkId));
}

function namesOf({ label, links }: ConnectionAnswer): readonly [number, string][] {
  return links.flatMap(({ linkId, identifier }): [number, string][] =>
    linkId === undefined ? [] : [[linkId, linkClientName(label, identifier)]],
  );
}
