// Versions of Node that are too old are told so; all others are let pass.

import { expect, test } from 'vitest';
import { nodeProblem } from '../../src/cli/node-version.js';

test.each(['12.22.0', '18.20.4', '20.18.3', '21.7.3', '22.1.0'])(
  'Node %s is told in one sentence that it is too old, and what to do',
  (version) => {
    expect(nodeProblem(version)).toBe(
      `✖ JIT1006  Jitney needs Node 20.19, 22.2 or newer, but this is Node ${version}: install a newer one, for example from https://nodejs.org\n`,
    );
  },
);

test.each(['20.19.0', '20.20.2', '22.2.0', '22.23.3', '24.0.0', '30.0.0'])('Node %s will do', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});
