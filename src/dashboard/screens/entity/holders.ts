// The receivers that hold messages and sessions, by their links.

import type { ConnectionsAnswer } from '../../../http/control/control-schemas.js';
import { clientName } from '../../state/format.js';
import { usePolled } from '../../state/use-polled.js';

const EACH_MS = 2000;

type Connection = ConnectionsAnswer['connections'][number] & { readonly label?: string };
type Link = Connection['links'][number] & { readonly identifier?: string };

/** Returns the name of the receiver that a link belongs to. Nothing is asked while `isShown` is false. */
export function useHolders(isShown = true): (linkId: number | undefined) => string | undefined {
  const { value } = usePolled<ConnectionsAnswer>('connections', { every: EACH_MS, when: isShown });
  const names = new Map((value?.connections ?? []).flatMap(namesOf));
  return (linkId) => (linkId === undefined ? undefined : names.get(linkId));
}

function namesOf({ label, containerId, product, links }: Connection): readonly [number, string][] {
  const client = label ?? clientName({ name: containerId, product });
  return links.flatMap(({ linkId, identifier }: Link) =>
    linkId === undefined ? [] : [[linkId, identifier === undefined ? client : `${identifier} · ${client}`]],
  );
}
