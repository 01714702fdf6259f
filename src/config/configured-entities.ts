// All queues and topics a user asked for, from specs and from a config file, with the warnings and whence each set of defaults comes.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { QueueDescription } from '../broker/entity/queue-description.js';
import { LIMITS_OF_TIER, type Tier } from '../broker/limits.js';
import { ConfigError, type EntityName, type RefusedProperty } from './config-error.js';
import type { ConfigPlaces } from './config-places.js';
import type { ConfigText, ReadConfig } from './config-text.js';
import { type ConfiguredTopic, indexOfName } from './configured-topic.js';
import { completeQueue } from './given-queue.js';
import { completeTopic } from './given-topic.js';
import { type OfficialConfig, queuesOf, topicsOf } from './official-config.js';
import type { EmulatorOptions } from './options.js';
import { parseQueueSpec } from './queue-spec.js';
import { parseTopicSpec } from './topic-spec.js';

/** What is served when the user names no entity and no file: the package's own, wherever the built code lies. */
export const DEFAULT_CONFIG_FILE = createRequire(import.meta.url).resolve('jitney/config/Config.json');

export type Entities = {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
};

export type EntityCounts = { readonly queues: number; readonly topics: number };

export type ConfiguredEntities = Entities & {
  readonly warnings: readonly string[];
  /** How many were named one by one and so have Azure's defaults. */
  readonly named: EntityCounts;
  /** How many come from the config file and so have the official emulator's defaults. */
  readonly fromFile: EntityCounts;
  /** Whether it was named one by one; else it comes from the config file. */
  readonly isNamed: (entity: EntityName) => boolean;
  /** Where in the config file an entity's property stands; undefined when the entity was named one by one. */
  readonly placeOf: (refused: RefusedProperty) => string | undefined;
  /** Of all that the config file says. */
  readonly places: ConfigPlaces;
};

type EntityOptions = {
  readonly queues?: EmulatorOptions['queues'] | undefined;
  readonly topics?: EmulatorOptions['topics'] | undefined;
  readonly configFile?: string | undefined;
  /** In place of a file. A text alone is an option of that name. */
  readonly configJson?: string | ConfigText | undefined;
  /** Default `standard`. */
  readonly tier?: Tier | undefined;
};

/** What is named one by one wins over the one of the same name in the file. Throws a ConfigError. */
export async function collectEntities(options: EntityOptions): Promise<ConfiguredEntities> {
  const named = namedEntities(options);
  const file = await readEntities(options);
  const queueNames = named.queues.map(({ name }) => name);
  const topicNames = named.topics.map(nameOf);
  const fromFile: Entities = {
    queues: file.queues.filter(({ name }) => indexOfName(name, queueNames) < 0),
    topics: file.topics.filter((topic) => indexOfName(nameOf(topic), topicNames) < 0),
  };
  const queues = [...fromFile.queues, ...named.queues];
  const topics = [...fromFile.topics, ...named.topics];
  refuseSharedNames({ queues, topics });
  const isNamed = ({ topicName, name }: EntityName) =>
    indexOfName(topicName ?? name, [...queueNames, ...topicNames]) >= 0;
  return {
    queues,
    topics,
    warnings: file.warnings,
    named: countsOf(named),
    fromFile: countsOf(fromFile),
    isNamed,
    placeOf: (refused) => (isNamed(refused.entity) ? undefined : file.places.placeOf(refused)),
    places: file.places,
  };
}

function namedEntities({ queues = [], topics = [] }: EntityOptions): Entities {
  const named = {
    queues: queues.map((queue) => (typeof queue === 'string' ? parseQueueSpec(queue) : completeQueue(queue))),
    topics: topics.map((topic) => (typeof topic === 'string' ? parseTopicSpec(topic) : completeTopic(topic))),
  };
  refuseRepeated(
    'queue',
    named.queues.map(({ name }) => name),
  );
  refuseRepeated('topic', named.topics.map(nameOf));
  return named;
}

/** ENT-02 */
function refuseRepeated(kind: 'queue' | 'topic', names: readonly string[]): void {
  const repeated = names.find((name, index) => indexOfName(name, names) < index);
  if (repeated === undefined) return;
  const what = kind === 'queue' ? 'Queue' : 'Topic';
  throw new ConfigError(`bad-${kind}`, `${what} '${repeated}' is given twice`);
}

/** ENT-03 */
function refuseSharedNames({ queues, topics }: Entities): void {
  const queueNames = queues.map(({ name }) => name);
  const shared = topics.map(nameOf).find((name) => indexOfName(name, queueNames) >= 0);
  if (shared === undefined) return;
  throw new ConfigError(
    'bad-topic',
    `'${shared}' is given both as a queue and as a topic: a name is one of them`,
  );
}

function nameOf({ description }: ConfiguredTopic): string {
  return description.name;
}

function countsOf({ queues, topics }: Entities): EntityCounts {
  return { queues: queues.length, topics: topics.length };
}

const NO_PLACES: ConfigPlaces = {
  placeOf: () => undefined,
  positionOf: () => undefined,
  positionOfRule: () => undefined,
};

async function readEntities({
  configFile: file,
  configJson: json,
  tier = 'standard',
}: EntityOptions): Promise<ReadConfig> {
  if (json !== undefined) {
    if (file !== undefined) {
      throw new ConfigError('bad-option', 'configFile and configJson are both given: give one of them');
    }
    const { readConfigText } = await import('./config-text.js');
    return readConfigText(typeof json === 'string' ? { name: 'configJson', text: json } : json);
  }
  if (file === undefined) return { queues: [], topics: [], warnings: [], places: NO_PLACES };
  if (file === DEFAULT_CONFIG_FILE) {
    const places = { ...NO_PLACES, placeOf: () => file };
    return { ...(await readDefaultConfig(tier)), warnings: [], places };
  }
  const { readConfigFile } = await import('./config-file.js');
  return readConfigFile(file);
}

/**
 * Our own file is plain JSON and a test runs the full reader over it, so it needs no check that takes long to load. Nobody
 * has asked for its topics, so they are no mistake in a tier without.
 */
async function readDefaultConfig(tier: Tier): Promise<Entities> {
  const config: OfficialConfig = JSON.parse(await readFile(DEFAULT_CONFIG_FILE, 'utf8'));
  return { queues: queuesOf(config), topics: LIMITS_OF_TIER[tier].hasTopics ? topicsOf(config) : [] };
}
