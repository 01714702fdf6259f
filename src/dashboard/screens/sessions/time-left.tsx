// The time that is left of a lock, as a bar with its number.

import { durationText } from '../../state/format.js';
import { useStore } from '../../state/use-store.js';

/** A lock with less left stands out. */
const LOW_SHARE = 0.2;

export function TimeLeft({
  until,
  ofMs = 30_000,
}: {
  readonly until: string;
  readonly ofMs?: number | undefined;
}) {
  const { now } = useStore();
  const leftMs = Math.max(0, Date.parse(until) - now.value);
  const share = Math.min(1, leftMs / ofMs);
  return (
    <span class="left">
      <span class={share < LOW_SHARE ? 'bar low' : 'bar'}>
        <i style={{ width: `${Math.round(share * 100)}%` }} />
      </span>{' '}
      {durationText(leftMs)}
    </span>
  );
}
