#!/usr/bin/env node
// The `jitney` command. Refuses a Node that is too old before it loads code that such a Node cannot run.

import { nodeProblem } from './node-version.js';

async function main(): Promise<void> {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) {
    process.stderr.write(problem);
    process.exitCode = 1;
    return;
  }
  const { useCompileCache } = await import('./compile-cache.js');
  const storeCompiled = useCompileCache(process.env);
  const { runCommandLine } = await import('./command-line.js');
  await runCommandLine(storeCompiled);
}

void main();
