#!/usr/bin/env node
// The `jitney` command: refuses a Node that is too old, before anything is loaded that such a Node does not know.

import { nodeProblem } from './node-version.js';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) await import('./command-line.js');
else {
  process.stderr.write(problem);
  process.exitCode = 1;
}
