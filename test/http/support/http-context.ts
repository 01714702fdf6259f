// What everything on HTTP is given in a test: a standard namespace, but for what the test chooses.

import { LIMITS_OF_TIER } from '../../../src/broker/contract/limits.js';
import { SystemGuids } from '../../../src/engine/system-guids.js';
import type { HttpContext, HttpEngine } from '../../../src/http/http-context.js';

export type ContextUnderTest = {
  readonly context: HttpContext;
  /** Faults of the emulator itself; a test that sees one has found a bug. */
  readonly faults: readonly unknown[];
};

export function contextUnderTest(
  engine: HttpEngine,
  chosen: Partial<Omit<HttpContext, 'engine' | 'onFault'>> = {},
): ContextUnderTest {
  const guids = new SystemGuids();
  const faults: unknown[] = [];
  const context = {
    engine,
    nextGuid: () => guids.next(),
    startedTime: new Date(0),
    tier: 'standard',
    limits: LIMITS_OF_TIER.standard,
    onFault: (fault: unknown) => faults.push(fault),
    ...chosen,
  } as const;
  return { context, faults };
}
