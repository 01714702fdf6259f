// What the broker is told of the options.

import { expect, test } from 'vitest';
import { LIMITS_OF_TIER, withoutSizes } from '../../src/broker/contract/limits.js';
import { brokerOptions } from '../../src/config/part-options.js';

test('without options, the broker has the limits of Standard and does as Azure does', () => {
  expect(brokerOptions({})).toEqual({
    limits: LIMITS_OF_TIER.standard,
    behaviour: { expirySweep: 'always', releaseLocksOnDetach: false, expireWholeSession: true },
  });
});

test('each tier brings its limits', () => {
  expect(brokerOptions({ tier: 'basic' }).limits).toEqual(LIMITS_OF_TIER.basic);
  expect(brokerOptions({ tier: 'premium', limits: 'azure' }).limits).toEqual(LIMITS_OF_TIER.premium);
});

test('without limits, the features of the tier stay as they are', () => {
  const { limits } = brokerOptions({ tier: 'basic', limits: 'none' });
  expect(limits).toEqual(withoutSizes(LIMITS_OF_TIER.basic));
  expect(limits.hasDuplicateDetection).toBe(false);
});

test('the choices are handed over as they are made', () => {
  const behaviour = {
    expirySweep: 'whenListening',
    releaseLocksOnDetach: true,
    expireWholeSession: false,
  } as const;
  expect(brokerOptions(behaviour).behaviour).toEqual(behaviour);
});
