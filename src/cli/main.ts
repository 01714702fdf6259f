#!/usr/bin/env node
// The `jitney` command: refuses a Node that is too old, before it loads code that such a Node cannot run.

import { nodeProblem } from './node-version.js';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) await import('./command-line.js');
else {
  process.stderr.write(problem);
  process.exitCode = 1;
}
