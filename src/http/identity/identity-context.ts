// What the identity endpoints need of the rest of the emulator.

import type { EntraTokens } from '../../security/entra-token.js';

export type IdentityContext = {
  readonly entraTokens: EntraTokens;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};
