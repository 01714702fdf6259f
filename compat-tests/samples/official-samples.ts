// Microsoft's samples for @azure/service-bus 7, those of 2022-07 and later: what each needs and must show, and which wait for a feature.

import { ADMINISTRATION_SAMPLES } from './administration-samples.js';
import { CREDENTIAL_SAMPLES } from './credential-samples.js';
import type { Expectation } from './expectation.js';
import { QUEUE_SAMPLES } from './queue-samples.js';
import type { Sdk } from './sdk.js';
import { SESSION_SAMPLES } from './session-samples.js';

export type RunnableSample = {
  readonly kind: 'runs';
  /** Path below `javascript` or `typescript/src`, without its ending. */
  readonly name: string;
  readonly shows: Expectation;
  /** The other way it may go. */
  readonly orShows?: Expectation;
  /** Samples that must have run on the same namespace before. */
  readonly after?: readonly string[];
  /** The queue with sessions holds this before it: so many messages in each of so many sessions. */
  readonly finds?: { readonly sessionCount: number; readonly messageCount: number };
  /** The generations of the SDK that it runs on; the stable one unless told. */
  readonly sdks?: readonly Sdk[];
  /** A version of it, known by its text, that no published SDK can run yet. */
  readonly newerVersion?: { readonly has: RegExp; readonly waitsFor: string };
  /** It goes through a proxy that the runner has for it. */
  readonly usesProxy?: true;
  /** It makes its queue itself, and would mind one that is there. */
  readonly makesQueue?: true;
};

export type WaitingSample = {
  readonly kind: 'waits';
  readonly name: string;
  readonly waitsFor: string;
};

export type OfficialSample = RunnableSample | WaitingSample;

const OFFICIAL_SAMPLES: readonly OfficialSample[] = [
  ...QUEUE_SAMPLES,
  ...SESSION_SAMPLES,
  ...ADMINISTRATION_SAMPLES,
  ...CREDENTIAL_SAMPLES,
];

export function findOfficialSample(name: string): OfficialSample | undefined {
  return OFFICIAL_SAMPLES.find((sample) => sample.name === name);
}
