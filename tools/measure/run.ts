// Measures the project as a whole: `npm run measure -- nodes`.

import { testOnNodes } from './nodes.js';

/** Each takes the words behind its name, and says whether all was good. */
const MEASUREMENTS: Readonly<Record<string, (words: readonly string[]) => Promise<boolean>>> = {
  nodes: testOnNodes,
};

const [name = '', ...words] = process.argv.slice(2);
const measure = MEASUREMENTS[name];
if (measure === undefined) {
  console.error(`Name what is measured: ${Object.keys(MEASUREMENTS).join(', ')}`);
  process.exit(2);
}
process.exitCode = (await measure(words)) ? 0 : 1;
