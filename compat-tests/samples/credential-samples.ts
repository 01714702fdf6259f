// What we know of the samples that are about logging in.

import { SECOND } from './expectation.js';
import type { OfficialSample } from './official-samples.js';

export const CREDENTIAL_SAMPLES: readonly OfficialSample[] = [
  {
    kind: 'runs',
    name: 'usingAadAuth',
    timeLimitMs: 30 * SECOND,
    shows: { leaves: { queue: [{ body: 'using AAD auth sample message' }] } },
  },
  {
    kind: 'runs',
    name: 'usingNamedKeyCredential',
    timeLimitMs: 30 * SECOND,
    shows: { leaves: { queue: [{ body: 'using AzureNamedKeyCredential sample message' }] } },
  },
];
