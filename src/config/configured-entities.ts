// Collects the configured queues and topics from options and from a config file, with warnings and the origin of each entity.

import { readFileSync } from 'node:fs';
import type { QueueDescription } from '../broker/contract/entities/queue-description.js';
import { LIMITS_OF_TIER, type Tier } from '../broker/contract/limits.js';
import { type EntityName, JitneyError, type RefusedProperty } from '../jitney-error.js';
import type { ConfigLocations } from './config-locations.js';
import type { ConfigText, NamespaceEntities, ReadConfig } from './config-text.js';
import { type ConfiguredTopic, indexOfName } from './configured-topic.js';
import { completeQueue, parseQueueSpec } from './given-queue.js';
import { completeTopic, parseTopicSpec } from './given-topic.js';
import { type OfficialConfig, queuesOf, topicsOf } from './official-config.js';
import type { EmulatorOptions } from './options/emulator-options.js';
import { packageFile } from './package-file.js';
import { brokerOptions } from './part-options.js';

/** The package's own config file, used when the user names no entity and no file. */
export const DEFAULT_CONFIG_FILE = packageFile('config/Config.json');

export type Entities = {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
};

export type EntityCounts = { readonly queues: number; readonly topics: number };

export type ConfiguredEntities = Entities & {
  /** The namespaces of the config file behind its first one, whose entities are those of `default`. */
  readonly namespaces: readonly NamespaceEntities[];
  readonly warnings: readonly string[];
  /** The number of entities named individually, which have Azure's defaults. */
  readonly named: EntityCounts;
  /** The number of entities from the config file, which have the official emulator's defaults. */
  readonly fromFile: EntityCounts;
  /** Whether the entity was named individually; otherwise it comes from the config file. */
  readonly isNamed: (entity: EntityName) => boolean;
  /** The location of a property in the config file; undefined when its entity was named individually. */
  readonly locationOf: (refused: RefusedProperty) => string | undefined;
  /** The source from which they are imported, if they are. */
  readonly importedFrom: string | undefined;
  readonly locations: ConfigLocations;
};

/** Entities of a template or a live namespace, with the name of that source. */
export type ImportedEntities = Entities & { readonly name: string; readonly notes: readonly string[] };

type EntityOptions = {
  readonly queues?: EmulatorOptions['queues'] | undefined;
  readonly topics?: EmulatorOptions['topics'] | undefined;
  readonly configFile?: string | undefined;
  /** A config in place of a file. A plain string is the option `configJson`. */
  readonly configJson?: string | ConfigText | undefined;
  readonly imported?: ImportedEntities | undefined;
  /** Default `standard`. */
  readonly tier?: Tier | undefined;
  readonly limits?: EmulatorOptions['limits'];
};

/** An entity named individually replaces the one of the same name in the file. Throws a JitneyError. */
export async function collectEntities(options: EntityOptions): Promise<ConfiguredEntities> {
  const named = namedEntities(options);
  const read = await readEntities(options);
  const file = withinTier(read, options);
  const others = (read.namespaces ?? []).map(({ name, queues, topics }) => {
    return { name, ...withinTier({ ...read, queues, topics, warnings: [] }, options) };
  });
  const queueNames = named.queues.map(({ name }) => name);
  const topicNames = named.topics.map(nameOf);
  const fromFile: Entities = {
    queues: file.queues.filter(({ name }) => indexOfName(name, queueNames) < 0),
    topics: file.topics.filter((topic) => indexOfName(nameOf(topic), topicNames) < 0),
  };
  const queues = [...fromFile.queues, ...named.queues];
  const topics = [...fromFile.topics, ...named.topics];
  refuseSharedNames({ queues, topics });
  const allNamed = [...queueNames, ...topicNames];
  const isNamed = ({ topicName, name }: EntityName) => indexOfName(topicName ?? name, allNamed) >= 0;
  return {
    queues,
    topics,
    namespaces: others.map((each) => ({ name: each.name, queues: each.queues, topics: each.topics })),
    warnings: [...file.warnings, ...others.flatMap(({ warnings }) => warnings)],
    named: countsOf(named),
    fromFile: options.imported === undefined ? countsOf(fromFile) : { queues: 0, topics: 0 },
    importedFrom: options.imported?.name,
    isNamed,
    locationOf: (refused) => (isNamed(refused.entity) ? undefined : file.locations.locationOf(refused)),
    locations: file.locations,
  };
}

/** A file may be written for Premium. A message size above the limit of the tier is ignored, with a warning. */
export function withinTier(
  file: ReadConfig,
  { tier = 'standard', limits }: Pick<EntityOptions, 'tier' | 'limits'>,
): ReadConfig {
  const { maxMessageSizeCeilingBytes } = brokerOptions({ tier, ...(limits && { limits }) }).limits;
  const mostKilobytes = maxMessageSizeCeilingBytes / 1024;
  const warnings = [...file.warnings];
  const fitted = <Description extends QueueDescription | ConfiguredTopic['description']>(
    description: Description,
  ): Description => {
    const { name, maxMessageSizeInKilobytes: given = 0 } = description;
    if (given <= mostKilobytes) return description;
    const property = 'maxMessageSizeInKilobytes';
    const where = file.locations.locationOf({ entity: { name }, property }) ?? `${property} of '${name}'`;
    warnings.push(
      `${where} is ${given} and was ignored: the tier ${tier} allows messages of up to ${mostKilobytes} KB.`,
    );
    return { ...description, maxMessageSizeInKilobytes: undefined };
  };
  return {
    ...file,
    queues: file.queues.map(fitted),
    topics: file.topics.map((topic) => ({ ...topic, description: fitted(topic.description) })),
    warnings,
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
  throw new JitneyError(`bad-${kind}`, `${what} '${repeated}' is given twice: case does not count`);
}

/** ENT-03 */
function refuseSharedNames({ queues, topics }: Entities): void {
  const queueNames = queues.map(({ name }) => name);
  const shared = topics.map(nameOf).find((name) => indexOfName(name, queueNames) >= 0);
  if (shared === undefined) return;
  throw new JitneyError(
    'bad-topic',
    `'${shared}' is given both as a queue and as a topic: a name can be only one of them`,
  );
}

function nameOf({ description }: ConfiguredTopic): string {
  return description.name;
}

function countsOf({ queues, topics }: Entities): EntityCounts {
  return { queues: queues.length, topics: topics.length };
}

const NO_LOCATIONS: ConfigLocations = {
  locationOf: () => undefined,
  positionOf: () => undefined,
  positionOfRule: () => undefined,
};

async function readEntities({
  configFile: file,
  configJson: json,
  imported,
  tier = 'standard',
}: EntityOptions): Promise<ReadConfig> {
  if (imported !== undefined) return importedConfig(imported);
  if (json !== undefined) {
    if (file !== undefined) {
      throw new JitneyError('bad-option', 'configFile and configJson are both given: give one of them');
    }
    const { readConfigText } = await import('./config-text.js');
    return readConfigText(typeof json === 'string' ? { name: 'configJson', text: json } : json);
  }
  if (file === undefined) return { queues: [], topics: [], warnings: [], locations: NO_LOCATIONS };
  if (file === DEFAULT_CONFIG_FILE) {
    const locations = { ...NO_LOCATIONS, locationOf: () => file };
    return { ...readDefaultConfig(tier), warnings: [], locations };
  }
  const { readConfigFile } = await import('./config-text.js');
  return readConfigFile(file);
}

/** Everything comes from one source, whose places are not known any more. */
function importedConfig({ queues, topics, notes, name }: ImportedEntities): ReadConfig {
  const locations = { locationOf: () => name, positionOf: () => name, positionOfRule: () => name };
  return { queues, topics, warnings: notes, locations };
}

/**
 * Our own file is plain JSON, and a test runs the full reader over it, so it skips the schema, which is slow to load. The
 * user did not request its topics, so a tier without topics ignores them.
 */
function readDefaultConfig(tier: Tier): Entities {
  const config: OfficialConfig = JSON.parse(readFileSync(DEFAULT_CONFIG_FILE, 'utf8'));
  return { queues: queuesOf(config), topics: LIMITS_OF_TIER[tier].hasTopics ? topicsOf(config) : [] };
}
