// What everything that answers HTTP needs of the rest of the emulator.

import type { Limits, Tier } from '../broker/limits.js';
import type { After } from '../engine/after.js';
import type { Engine } from '../engine/engine.js';
import type { Authorizer } from '../security/authorizer.js';
import type { EntraTokens } from '../security/entra-token.js';

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
  /** Looks at keys and tokens. Default: none, and each will do. */
  readonly authorizer?: Authorizer;
  /** Where programs without a network get tokens from. Default: nowhere. */
  readonly entraTokens?: EntraTokens;
  /** By which tokens expire, in milliseconds since 1970. Default: the machine's time. */
  readonly now?: () => number;
};

/** What is asked of the engine. */
export type HttpEngine = Pick<Engine, 'ask' | 'submit' | 'openLink' | 'closeLink' | 'readContent'>;
