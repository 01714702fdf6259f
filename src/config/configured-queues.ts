// All queues a user asked for, from specs and from a config file, with the warnings and where each set of defaults comes from.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { QueueDescription } from '../broker/entity/queue-description.js';
import { ConfigError, type RefusedProperty } from './config-error.js';
import type { ConfigFile } from './config-file.js';
import { completeQueue } from './given-queue.js';
import { type OfficialConfig, queuesOf } from './official-config.js';
import type { EmulatorOptions, GivenQueue } from './options.js';
import { parseQueueSpec } from './queue-spec.js';

/** What is served when the user names neither a queue nor a file: the package's own, wherever the built code lies. */
export const DEFAULT_CONFIG_FILE = createRequire(import.meta.url).resolve('jitney/config/Config.json');

export type ConfiguredQueues = {
  readonly queues: readonly QueueDescription[];
  readonly warnings: readonly string[];
  /** How many of the queues were named one by one and so have Azure's defaults. */
  readonly namedCount: number;
  /** How many come from the config file and so have the official emulator's defaults. */
  readonly fromFileCount: number;
  /** Where in the config file a queue's property stands; undefined when the queue was named one by one. */
  readonly placeOf: (refused: RefusedProperty) => string | undefined;
};

type QueueOptions = {
  readonly queues?: EmulatorOptions['queues'] | undefined;
  readonly configFile?: string | undefined;
};

/** A queue named one by one wins over one of the same name in the file. Throws a ConfigError. */
export async function collectQueues(options: QueueOptions): Promise<ConfiguredQueues> {
  const named = namedQueues(options.queues ?? []);
  const file = await readQueues(options.configFile);
  const names = new Set(named.map(({ name }) => name.toLowerCase()));
  const fromFile = file.queues.filter(({ name }) => !names.has(name.toLowerCase()));
  return {
    queues: [...fromFile, ...named],
    warnings: file.warnings,
    namedCount: named.length,
    fromFileCount: fromFile.length,
    placeOf: (refused) => (names.has(refused.queueName.toLowerCase()) ? undefined : file.placeOf(refused)),
  };
}

function namedQueues(given: readonly (string | GivenQueue)[]): QueueDescription[] {
  const queues = given.map((queue) =>
    typeof queue === 'string' ? parseQueueSpec(queue) : completeQueue(queue),
  );
  const seen = new Set<string>();
  for (const { name } of queues) {
    // ENT-02: names that differ only in case are one name.
    if (seen.has(name.toLowerCase())) throw new ConfigError('bad-queue', `Queue '${name}' is given twice`);
    seen.add(name.toLowerCase());
  }
  return queues;
}

async function readQueues(file: string | undefined): Promise<ConfigFile> {
  if (file === undefined) return { queues: [], warnings: [], placeOf: () => undefined };
  if (file === DEFAULT_CONFIG_FILE) {
    return { queues: await readDefaultConfig(), warnings: [], placeOf: () => file };
  }
  const { readConfigFile } = await import('./config-file.js');
  return readConfigFile(file);
}

/** Our own file is plain JSON and a test runs the full reader over it, so it needs no check that takes long to load. */
async function readDefaultConfig(): Promise<QueueDescription[]> {
  const config: OfficialConfig = JSON.parse(await readFile(DEFAULT_CONFIG_FILE, 'utf8'));
  return queuesOf(config);
}
