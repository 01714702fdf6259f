// The needs and results of the samples that are about logging in.

import type { OfficialSample } from './official-samples.js';

export const CREDENTIAL_SAMPLES: readonly OfficialSample[] = [
  {
    kind: 'runs',
    name: 'usingAadAuth',
    shows: { leaves: { queue: [{ body: 'using AAD auth sample message' }] } },
  },
  {
    kind: 'runs',
    name: 'usingNamedKeyCredential',
    shows: { leaves: { queue: [{ body: 'using AzureNamedKeyCredential sample message' }] } },
  },
];
