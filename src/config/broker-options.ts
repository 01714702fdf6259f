// What the broker is told of a user's options: its limits and its choices.

import type { Choices } from '../broker/choices.js';
import { LIMITS_OF_TIER, type Limits, withoutSizes } from '../broker/limits.js';
import type { EmulatorOptions } from './options.js';

type OptionsOfBroker = Pick<
  EmulatorOptions,
  'tier' | 'limits' | 'expirySweep' | 'releaseLocksOnDetach' | 'expireWholeSession'
>;

export function brokerOptions({
  tier = 'standard',
  limits = 'azure',
  expirySweep = 'always',
  releaseLocksOnDetach = false,
  expireWholeSession = true,
}: OptionsOfBroker): { readonly limits: Limits; readonly choices: Choices } {
  const ofTier = LIMITS_OF_TIER[tier];
  return {
    limits: limits === 'none' ? withoutSizes(ofTier) : ofTier,
    choices: { expirySweep, releaseLocksOnDetach, expireWholeSession },
  };
}
