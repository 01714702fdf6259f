// `npx tsx tools/release/run.ts v0.1.0 --notes notes.md`: checks that a tag may be released, writes its notes, and prints the outputs of the workflow.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Release, readRelease, withAddresses } from './release.js';

const USAGE = 'Usage: npx tsx tools/release/run.ts <tag> [--notes <file>]';
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

const { positionals, values } = parseArgs({ allowPositionals: true, options: { notes: { type: 'string' } } });
const [tag] = positionals;
if (tag === undefined) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  release(tag);
}

function release(tag: string): void {
  let found: Release;
  try {
    const { version } = JSON.parse(read('package.json'));
    found = readRelease({ tag, manifestVersion: version, changelog: read('CHANGELOG.md') });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    return;
  }
  const files = `https://github.com/your-name/jitney/blob/${tag}`;
  if (values.notes !== undefined) writeFileSync(values.notes, withAddresses(found.notes, files));
  console.log(`version=${found.version}\nchannel=${found.channel}`);
}
