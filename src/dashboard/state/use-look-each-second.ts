// A look that a screen repeats each second while somebody sees it: one at a time, and none that nobody would answer.

import { useEffect, useRef, useState } from 'preact/hooks';
import { sayLookError } from './look-error.js';
import { isPaused, link, now, openedCount } from './model.js';
import { PacedLook } from './paced-look.js';

/** The rest of the emulator after a look that took longer than a second. */
const PAUSE_MS = 500;

export type Looking<Looked> = {
  /** Undefined while nothing is read yet. */
  readonly looked: Looked | undefined;
  readonly lookNow: () => Promise<void>;
};

/** `look` is the same function each time. */
export function useLookEachSecond<Looked>(look: (signal: AbortSignal) => Promise<Looked>): Looking<Looked> {
  const [looked, setLooked] = useState<Looked>();
  const pace = useRef<PacedLook>(undefined);
  const opened = openedCount.value;
  useEffect(() => {
    const ending = new AbortController();
    let saidText: string | undefined;
    const looking = new PacedLook(
      async () => {
        try {
          const next = await look(ending.signal);
          if (!ending.signal.aborted) setLooked(next);
          saidText = undefined;
        } catch (error) {
          // Once is enough for an error that comes back each second.
          if (String(error) !== saidText) sayLookError(error);
          saidText = String(error);
        }
      },
      () => PAUSE_MS,
    );
    pace.current = looking;
    looking.atOnce();
    const stopTicking = now.subscribe(() => {
      if (isSeenLive()) looking.soon();
    });
    return () => {
      stopTicking();
      looking.end();
      ending.abort();
    };
  }, [look, opened]);
  return { looked, lookNow: async () => pace.current?.atOnce() };
}

function isSeenLive(): boolean {
  return document.visibilityState === 'visible' && !isPaused.peek() && link.peek() !== 'lost';
}
