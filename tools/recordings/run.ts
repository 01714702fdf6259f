// `npm run recordings`: replays recordings of the real service against the built emulator, and says where the answers differ. Then plays
// its answers to the administration client of the command line, and says what that reads otherwise.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importBuiltPackage } from '../../compat-tests/support/built-package.js';
import { ACCEPTED } from './accepted.js';
import { ClientTable } from './client-table.js';
import { type Accepted, acceptedBy, type Difference, differencesOf } from './compare.js';
import { playToClient } from './play-to-client.js';
import { type Exchange, readRecording } from './read-recording.js';
import { replay } from './replay.js';

const USAGE = `npm run recordings -- --from <folder> [--only <text>]
  --from <folder>  recordings of SDKs: Python's *.yaml, Java's session-records/*.json, .NET's SessionRecords/**/*.json
  --only <text>    only files whose path contains this text`;
/** Only Premium has messages of more than 256 KB. */
const PREMIUM = /<MessagingSKU>Premium|<MaxMessageSizeInKilobytes>\d{4}/;
const SHOWN_CHARACTERS = 160;

type Row = { files: number; requests: number; same: number; listed: number; different: number };
type Found = { count: number; readonly example: string };

process.exitCode = await main();

async function main(): Promise<number> {
  const { from, only = '' } = parseArgs({
    options: { from: { type: 'string' }, only: { type: 'string' } },
  }).values;
  if (from === undefined) {
    console.error(USAGE);
    return 2;
  }
  const rows = new Map<string, Row>();
  const listed = new Map<Accepted, number>();
  const different = new Map<string, Found>();
  const client = new ClientTable();
  for (const path of await filesIn(from, only)) {
    const exchanges = readRecording(path, await readFile(path, 'utf8'));
    if (!exchanges?.length || exchanges.some(isOfEventHubs)) continue;
    await compareFile(path, exchanges);
    client.add(path, await playToClient(exchanges));
  }
  console.table(Object.fromEntries([...rows, ['all', sumOf([...rows.values()])]]));
  for (const [{ reason }, count] of listed) console.log(`listed: ${count} × ${reason}`);
  for (const one of ACCEPTED.filter((each) => !listed.has(each))) {
    console.log(`listed, and not met: ${one.key}: ${one.reason}`);
  }
  for (const [text, { count, example }] of different)
    console.log(`\nDIFFERENT: ${count} × ${text}\n  ${example}`);
  client.print();
  return different.size === 0 && client.problems.length === 0 ? 0 : 1;

  async function compareFile(path: string, exchanges: readonly Exchange[]): Promise<void> {
    const { startEmulator } = await importBuiltPackage();
    await using emulator = await startEmulator({ port: 0, tier: tierOf(exchanges) });
    const row = rowOf(exchanges);
    row.files += 1;
    for (const { exchange, service, ours } of await replay(exchanges, emulator.port)) {
      const request = `${exchange.method} ${exchange.url.pathname}${exchange.url.search}`;
      const differences = differencesOf(service, ours);
      row.requests += 1;
      const unlisted = differences.filter((one) => !isListed(request, one));
      if (differences.length === 0) row.same += 1;
      else if (unlisted.length === 0) row.listed += 1;
      else row.different += 1;
      for (const { key, service: theirs, ours: own } of unlisted) {
        const text = `${key.replaceAll(/\[\d+\]/g, '')}: service ${shown(theirs)}, ours ${shown(own)}`;
        const found = different.get(text) ?? { count: 0, example: `${request} in ${path}` };
        different.set(text, found);
        found.count += 1;
      }
    }
  }

  function isListed(request: string, difference: Difference): boolean {
    const accepted = acceptedBy(ACCEPTED, request, difference);
    if (accepted !== undefined) listed.set(accepted, (listed.get(accepted) ?? 0) + 1);
    return accepted !== undefined;
  }

  function rowOf(exchanges: readonly Exchange[]): Row {
    const name = sdkOf(exchanges);
    const row = rows.get(name) ?? { files: 0, requests: 0, same: 0, listed: 0, different: 0 };
    rows.set(name, row);
    return row;
  }
}

async function filesIn(folder: string, only: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /\.(?:ya?ml|json)$/.test(name) && name.includes(only))
    .sort()
    .map((name) => join(folder, name));
}

function isOfEventHubs({ url, body }: Exchange): boolean {
  return /EventHub|api-version=2014-01/.test(url.href) || body?.includes('EventHubDescription') === true;
}

function tierOf(exchanges: readonly Exchange[]): 'premium' | 'standard' {
  return exchanges.some(({ answer }) => PREMIUM.test(answer.body)) ? 'premium' : 'standard';
}

/** The SDK and the year, from the program and the date of the first request. */
function sdkOf([first]: readonly Exchange[]): string {
  const program = /(?:azsdk-)?([\w.-]+)/.exec(first?.headers.get('user-agent') ?? '')?.[1] ?? 'unknown';
  const year = /\d{4}/.exec(first?.answer.headers.get('date') ?? '')?.[0] ?? '';
  return `${program} ${year}`.trim();
}

function sumOf(rows: readonly Row[]): Row {
  const sum = { files: 0, requests: 0, same: 0, listed: 0, different: 0 };
  for (const row of rows) for (const key of Object.keys(sum) as (keyof Row)[]) sum[key] += row[key];
  return sum;
}

function shown(value: string | undefined): string {
  return value === undefined ? 'has none' : `'${value.slice(0, SHOWN_CHARACTERS)}'`;
}
