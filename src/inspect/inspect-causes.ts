// Asks the broker what needs a look, again and again while it counts dead letters.

import type { InspectedCauses } from '../broker/contract/inspection.js';
import type { Engine } from '../engine/engine.js';

/** Rejects with the ServiceBusError of an engine that stops. */
export async function inspectCauses(engine: Pick<Engine, 'ask'>): Promise<InspectedCauses> {
  for (;;) {
    const result = await engine.ask({ kind: 'inspect-causes' });
    if (result.kind === 'failed') throw result.error;
    if (result.kind !== 'inspected-causes') throw new Error(`the broker answered '${result.kind}'`);
    if (result.causes !== undefined) return result.causes;
    // The turns of others come in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
