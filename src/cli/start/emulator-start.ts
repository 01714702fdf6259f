// The steps from settings to an emulator, which several commands share: its Config.json, its options, a dry run, the location of a refused
// entity.

import { existsSync } from 'node:fs';
import {
  type ConfiguredEntities,
  DEFAULT_CONFIG_FILE,
  type Entities,
  type ImportedEntities,
} from '../../config/configured-entities.js';
import { givenTopicOf } from '../../config/configured-topic.js';
import { type Environment, type Flags, variableFor } from '../../config/environment.js';
import type { GivenNamespace } from '../../config/given-namespaces.js';
import { givenQueueOf } from '../../config/given-queue.js';
import type { EmulatorOptions } from '../../config/options/emulator-options.js';
import type { Settings } from '../../config/settings.js';
import type { Emulator } from '../../emulator.js';
import { JitneyError, type RefusedProperty } from '../../jitney-error.js';
import { isJournalError } from '../../journal/journal-error.js';
import { loadLevel } from '../../journal/table/leveldb/load-level.js';

export type StartEmulator = (options: EmulatorOptions) => Promise<Emulator>;

/** The path at which the official emulator's image has its config file, and at which tools mount theirs. */
export const MOUNTED_CONFIG_FILE = '/ServiceBus_Emulator/ConfigFiles/Config.json';

/** Chooses a Config.json if neither flag nor variable gives one: the mounted file, or the default if no entity is named. */
export function withConfigFile(settings: Settings, mounted: string): Settings {
  const { configFile: file, configJson, importSource } = settings;
  if (configJson !== undefined || file !== undefined || importSource !== undefined) return settings;
  if (existsSync(mounted)) return { ...settings, configFile: mounted };
  const isNamed = settings.queues.length > 0 || settings.topics.length > 0;
  return { ...settings, configFile: isNamed ? undefined : DEFAULT_CONFIG_FILE };
}

/** Keeps everything in memory, with a warning, if LevelDB is missing and the user has not named a directory. */
export async function withStorage(
  settings: Settings,
  flags: Flags,
  environment: Environment,
): Promise<Settings> {
  const { dataDirectory } = settings;
  const isNamed = flags.data !== undefined || variableFor('data', environment) !== undefined;
  if (dataDirectory === undefined || isNamed) return settings;
  try {
    await loadLevel(dataDirectory);
    return settings;
  } catch (error) {
    if (!isJournalError(error)) throw error;
    const warning = `${error.code} Everything is kept in memory and lost when this stops. ${error.message}`;
    return { ...settings, dataDirectory: undefined, warnings: [...settings.warnings, warning] };
  }
}

/** Reads the definitions of a file or a live namespace. */
export type OpenImport = (source: string, settings: Settings) => Promise<ImportedEntities>;

/** The entities of `--import`; undefined without that option. Throws a JitneyError, also for `--parameters` without `--import`. */
export async function importedEntities(
  settings: Settings,
  { openImport }: { readonly openImport: OpenImport },
): Promise<ImportedEntities | undefined> {
  const { importSource, importParameters } = settings;
  if (importSource !== undefined) return openImport(importSource, settings);
  if (importParameters === undefined) return undefined;
  const text = '--parameters needs --import: it gives values to the template that is imported';
  throw new JitneyError('bad-option', text);
}

/** The options of `startEmulator`, without entities, which `collectEntities` reads. */
export function emulatorOptions(settings: Settings): EmulatorOptions {
  // The settings that are not options of `startEmulator`, or have another name or value there.
  const {
    configFile,
    configJson,
    importSource,
    importParameters,
    queues,
    queuesFrom,
    topics,
    topicsFrom,
    watch,
    prune,
    open,
    untilStdinEnds,
    ...others
  } = settings;
  const { tierFrom, warnings, certObstacle, userDirectory, logFormat, logFile, ...shared } = others;
  const { tlsPort, tlsPortFrom, ...same } = shared;
  // A start must not fail because of a port that was not requested.
  const isUnrequested = tlsPortFrom === undefined && tlsPort !== 'off';
  return withoutUndefined({
    ...same,
    tlsPort: isUnrequested ? 'ifFree' : tlsPort,
  });
}

/** The namespaces of the option and those of the config file, which also say what is in them. */
export function namespacesOf(
  { namespaces }: Pick<Settings, 'namespaces'>,
  configured: Pick<ConfiguredEntities, 'namespaces'>,
): readonly (string | GivenNamespace)[] {
  const inFile = configured.namespaces.map(({ name, queues, topics }) => ({
    name,
    queues: queues.map(givenQueueOf),
    topics: topics.map(givenTopicOf),
  }));
  const isInFile = (name: string) => inFile.some((each) => each.name === name);
  return [...namespaces.filter((each) => !isInFile(typeof each === 'string' ? each : each.name)), ...inFile];
}

type Defined<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

function withoutUndefined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

type DryRunContext = {
  readonly startEmulator: StartEmulator;
  /** The location of a refused property. */
  readonly locationOf: (refused: RefusedProperty) => string | undefined;
};

/** Starts an emulator with the entities, in memory and on a free port, and stops it. Throws its error if it refuses to start. */
export async function dryRun(
  { queues, topics, namespaces = [] }: Entities & Partial<Pick<ConfiguredEntities, 'namespaces'>>,
  { tier, limits }: Settings,
  { startEmulator, locationOf }: DryRunContext,
): Promise<void> {
  const starting = startEmulator({
    tier,
    limits,
    queues: queues.map(givenQueueOf),
    topics: topics.map(givenTopicOf),
    namespaces: namespacesOf({ namespaces: [] }, { namespaces }),
  });
  const emulator = await starting.catch((error) => {
    throw withLocation(error, locationOf);
  });
  await emulator.stop();
}

/** Adds the location of a refused entity to the error; other errors stay as they are. */
export function withLocation(
  error: unknown,
  locationOf: (refused: RefusedProperty) => string | undefined,
): unknown {
  if (!(error instanceof JitneyError) || error.refused === undefined) return error;
  const { kind, message, cause, refused } = error;
  const location = locationOf(refused);
  const problems = location === undefined ? [] : [`It is requested by ${location}`];
  return new JitneyError(kind, message, { problems, cause, refused });
}

/** The location in the config file, or the flag or variable that names the entity. */
export function locationOf(
  refused: RefusedProperty,
  settings: Settings,
  configured: ConfiguredEntities,
): string | undefined {
  const { topicName, name } = refused.entity;
  const isQueue = topicName === undefined && configured.queues.some((queue) => queue.name === name);
  return configured.locationOf(refused) ?? (isQueue ? settings.queuesFrom : settings.topicsFrom);
}
