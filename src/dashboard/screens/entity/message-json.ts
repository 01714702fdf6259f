// A message as JSON to be copied or exported: everything that the interface says of it but its encoded bytes.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';

/** Types and descriptors stay, so that a Uri, a duration, a time and NaN are told from texts. */
export function messageJson({ raw: _, ...message }: RawMessageAnswer): string {
  return JSON.stringify(message, null, 2);
}
