// What `npm run samples` was asked to do.

import { parseArgs } from 'node:util';
import { findOfficialSample } from './official-samples.js';
import { findSamples, isFolder, type SampleFile } from './sample-folder.js';

export const USAGE = `Usage: npm run samples -- --from <folder> [--only <name>]

  --from   The samples of the JavaScript SDK, those of July 2022 or later: a checkout
           or a copy of sdk/servicebus/service-bus/samples/v7 (or v7-beta) of
           github.com/Azure/azure-sdk-for-js, or its javascript or typescript folder.
           This brings them here:
             git clone --depth 1 --filter=blob:none --sparse https://github.com/Azure/azure-sdk-for-js
             git -C azure-sdk-for-js sparse-checkout set sdk/servicebus/service-bus/samples
  --only   Run only the samples whose name contains this text.`;

export class UsageError extends Error {}

export type Selection = {
  readonly found: readonly SampleFile[];
  readonly chosen: readonly SampleFile[];
};

/** Throws a UsageError in words for the person who typed it. */
export function selectSamples(commandLine: readonly string[]): Selection {
  const { from, only = '' } = parse(commandLine);
  if (from === undefined) {
    throw new UsageError('Where are the samples? --from is missing.');
  }
  if (!isFolder(from)) {
    throw new UsageError(`--from ${from}: there is no such folder.`);
  }
  const found = findSamples(from);
  if (!found.some(({ name }) => findOfficialSample(name) !== undefined)) {
    throw new UsageError(
      `--from ${from}: none of the SDK's samples is in it; sendMessages.js, for instance, would be one.`,
    );
  }
  const chosen = found.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) {
    throw new UsageError(`--only ${only}: no sample has this in its name.`);
  }
  return { found, chosen };
}

function parse(commandLine: readonly string[]): { readonly from?: string; readonly only?: string } {
  try {
    return parseArgs({
      args: [...commandLine],
      options: { from: { type: 'string' }, only: { type: 'string' } },
    }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
