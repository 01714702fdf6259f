// What everything that answers HTTP needs of the rest of the emulator.

import type { Limits, Tier } from '../broker/limits.js';
import type { After } from '../engine/after.js';
import type { Engine } from '../engine/engine.js';

export type HttpContext = {
  readonly engine: HttpEngine;
  /** 32 random hexadecimal digits. */
  readonly nextGuid: () => string;
  /** When the emulator was started: of a namespace nothing older is known. */
  readonly startedTime: Date;
  readonly tier: Tier;
  readonly limits: Limits;
  /** A fault of the emulator in the answer to a request; the client is told no more than that there was one. */
  readonly onFault: (fault: unknown) => void;
  /** What ends waits for a message. Default: the machine's time. */
  readonly after?: After;
};

/** What is asked of the engine. */
export type HttpEngine = Pick<Engine, 'ask' | 'submit' | 'openLink' | 'closeLink' | 'readContent'>;
