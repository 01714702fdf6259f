// Load, attacks, trials and long searches: `npm run measure -- <what>`, with the options of each behind its name; `--help` there lists them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../bench/built-programs.js';

type Measurement = {
  readonly program: string;
  /** What it tells. */
  readonly what: string;
  /** It runs the sources, or builds by itself. */
  readonly needsNoBuild?: true;
};

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  crowd: { program: 'tools/crowd/run.ts', what: 'attacks while others wait for their messages' },
  fuzz: { program: 'test/fuzz/run.ts', what: 'hostile bytes against the AMQP endpoint', needsNoBuild: true },
  handshakes: { program: 'compat-tests/handshakes/run.ts', what: 'TLS with each runtime of the SDKs' },
  hour: { program: 'tools/page/hour.ts', what: 'what is shown after an hour of traffic, and a restart' },
  identity: { program: 'compat-tests/identity/run.ts', what: 'the identity libraries, old and new' },
  namespaces: {
    program: 'tools/measure/namespaces.ts',
    what: 'the memory of 100 namespaces',
    needsNoBuild: true,
  },
  nodes: { program: 'tools/measure/nodes.ts', what: 'npm ci && npm test on each Node', needsNoBuild: true },
  page: { program: 'tools/page/run.ts', what: 'the page under load' },
  record: { program: 'tools/recorder/run.ts', what: 'the frames of each SDK, for test/amqp/recordings' },
  selectors: {
    program: 'tools/measure/selectors.ts',
    what: 'what selecting costs, and what it costs others',
  },
  sessions: { program: 'compat-tests/run-sessions.ts', what: 'unruly receivers on many sessions' },
  snapshots: {
    program: 'tools/measure/snapshots.ts',
    what: 'how long a snapshot and its restore take',
    needsNoBuild: true,
  },
  soak: { program: 'tools/soak/run.ts', what: 'mixed load, after which everything is as it was' },
  suite: { program: 'tools/measure/suite.ts', what: '200 tests, each with its own emulator or namespace' },
  thorough: { program: 'tools/measure/thorough.ts', what: 'the tests that could go on for ever' },
  trials: {
    program: 'tools/trials/run.ts',
    what: 'copy, damage, kill, disk-full, power: what is lost is told',
  },
  turns: {
    program: 'tools/turns/run.ts',
    what: 'the longest work without a turn for others',
    needsNoBuild: true,
  },
};

const [name = '', ...words] = process.argv.slice(2);
const measurement = Object.hasOwn(MEASUREMENTS, name) ? MEASUREMENTS[name] : undefined;
if (measurement === undefined) {
  console.error(`npm run measure -- <what> [its options | --help], where <what> is one of\n${list()}`);
  process.exit(2);
}
const program = resolve(ROOT, measurement.program);
if (words.includes('--help')) {
  console.log(helpOf(program));
  process.exit();
}
if (measurement.needsNoBuild !== true) build();
process.argv = [process.execPath, program, ...words];
await import(pathToFileURL(program).href);

function list(): string {
  return Object.entries(MEASUREMENTS)
    .map(([name, { what }]) => `  ${name.padEnd(12)}${what}`)
    .join('\n');
}

/** The comment at the beginning of each program says what it measures, and its options. */
function helpOf(program: string): string {
  const [header = ''] = readFileSync(program, 'utf8').split('\n\n', 1);
  return header.replace(/^\/\/ /gm, '');
}

function build(): void {
  const builder = resolve(ROOT, 'tools/build-if-stale.mjs');
  const { status } = spawnSync(process.execPath, [builder], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
