// `npm run measure -- nodes [--only 24,26]`: runs `npm ci && npm test` in a clean clone on each Node that we promise.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeFromNpm } from '../../compat-tests/package/node-from-npm.js';
import { run } from '../../compat-tests/package/steps.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';
import { ROOT } from '../bench/built-programs.js';

/** The oldest that vitest takes, and the newest of each line. Jitney itself takes 22.2, on which `npm run package` tries it. */
const NODES = ['20.19.0', '22.12.0', '22', '24', '26'];
const LIMIT_MS = 3_600_000;
const LINES_OF_FAILURE = 200;

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const { stdout } = await run('git', ['status', '--porcelain'], ROOT);
if (stdout !== '') console.log('What is not committed is not tested.');
for (const range of values.only?.split(',') ?? NODES) if (!(await isGoodOn(range))) process.exitCode = 1;

async function isGoodOn(range: string): Promise<boolean> {
  await using work = await temporaryDirectory();
  const node = await nodeFromNpm(range, work.path);
  if (typeof node === 'string') {
    console.log(`Node ${range}: FAILED, it could not be installed\n${node}`);
    return false;
  }
  const clone = join(work.path, 'clone');
  const steps = [
    { words: ['clone', '--quiet', ROOT, clone], program: 'git', folder: work.path },
    { words: ['ci'], program: 'npm', folder: clone },
    { words: ['test'], program: 'npm', folder: clone },
  ];
  const started = performance.now();
  let output = '';
  for (const { program, words, folder } of steps) {
    const { isGood, text } = await run(program, words, folder, node.env, LIMIT_MS);
    output = text;
    if (isGood) continue;
    const end = text.split('\n').slice(-LINES_OF_FAILURE).join('\n');
    console.log(`${end}\nNode ${node.version}: FAILED in '${program} ${words.join(' ')}'`);
    return false;
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  const tests = /^ *Tests .*$/m.exec(output)?.[0].trim().replace(/ +/g, ' ');
  console.log(`Node ${node.version}: passed in ${seconds} s. ${tests}`);
  return true;
}
