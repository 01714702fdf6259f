// `npm run samples -- --from <folder>`: the samples runner as a program.

import { USAGE, UsageError } from './command-line.js';
import { passProxiesBy } from './environment.js';
import { runSamples } from './run-samples.js';

const USAGE_EXIT_CODE = 2;

passProxiesBy();
process.exitCode = await runSamples(process.argv.slice(2), console.log).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  return USAGE_EXIT_CODE;
});
