// The time that is left of a lock, as a bar with its number.

import { useMemo } from 'preact/hooks';
import { durationText } from '../../state/format.js';
import { useStore } from '../../state/use-store.js';

/** A lock with less left stands out. */
const LOW_SHARE = 0.2;

type TimeLeftProps = { readonly until: string; readonly ofMs?: number | undefined };

export function TimeLeft({ until, ofMs = 30_000 }: TimeLeftProps) {
  const leftMs = useTimeLeft(until);
  return (
    <span class="left">
      <TimeBar leftMs={leftMs} wholeMs={ofMs} /> {durationText(leftMs)}
    </span>
  );
}

/** The milliseconds that are left. While the clock is frozen, each answer names another end: the time that is left is the same. */
export function useTimeLeft(until: string): number {
  const store = useStore();
  const readAt = useMemo(() => Date.now(), [until]);
  return Math.max(0, Date.parse(until) - store.dueNow(readAt));
}

export function TimeBar({ leftMs, wholeMs }: { readonly leftMs: number; readonly wholeMs: number }) {
  const share = Math.min(1, leftMs / wholeMs);
  return (
    <span class={share < LOW_SHARE ? 'bar low' : 'bar'}>
      <i style={{ width: `${share * 100}%` }} />
    </span>
  );
}
