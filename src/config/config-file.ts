// Reads a user's Config.json in the official emulator's schema. Loaded only when there is one: it brings zod along.

import { readFile, stat } from 'node:fs/promises';
import type { QueueDescription } from '../broker/entity/queue-description.js';
import { ConfigError, type EntityName, type RefusedProperty } from './config-error.js';
import { checkMeaning } from './config-meaning.js';
import { checkConfig } from './config-schema.js';
import { type ConfiguredTopic, indexOfName } from './configured-topic.js';
import { officialName } from './entity-property.js';
import { LocatedJson, type Path } from './located-json.js';
import { type OfficialConfig, type OfficialQueue, queuesOf, topicsOf } from './official-config.js';

export type ConfigFile = {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
  /** Located, one line each. */
  readonly warnings: readonly string[];
  /** Where an entity's property stands: `file:line:column  path`; where the entity does when it does not have it. */
  readonly placeOf: (refused: RefusedProperty) => string | undefined;
};

/** Comments and trailing commas are allowed. Throws a ConfigError that lists all problems of the file. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const json = new LocatedJson(await readText(file));
  if (json.syntaxErrors.length > 0) throw invalid(file, json.syntaxErrors);
  const { config, errors, unknownKeys } = checkConfig(json.value);
  const meaning = config === undefined ? { errors: [], warnings: [] } : checkMeaning(config);
  const mistakes = [...json.repeatedKeys(), ...errors, ...meaning.errors];
  if (config === undefined || mistakes.length > 0) {
    throw invalid(
      file,
      mistakes.map((mistake) => json.locate(mistake)),
    );
  }
  return {
    queues: queuesOf(config),
    topics: topicsOf(config),
    warnings: [...unknownKeys, ...meaning.warnings].map((warning) => `${file}:${json.locate(warning)}`),
    placeOf: (refused) => {
      const path = pathTo(refused, config);
      return path === undefined ? undefined : `${file}:${json.locate({ path, text: '' }).trimEnd()}`;
    },
  };
}

type Found = { readonly path: Path; readonly entity: OfficialQueue };

function pathTo({ entity, property }: RefusedProperty, config: OfficialConfig): Path | undefined {
  const found = find(entity, config);
  if (found === undefined || property === undefined) return found?.path;
  const name = officialName(property);
  const isGiven = Object.hasOwn(found.entity.Properties ?? {}, name);
  return isGiven ? [...found.path, 'Properties', name] : found.path;
}

function find({ topicName, name }: EntityName, { UserConfig }: OfficialConfig): Found | undefined {
  const { Queues, Topics } = UserConfig.Namespaces[0] ?? {};
  const path: Path = ['UserConfig', 'Namespaces', 0];
  if (topicName === undefined) {
    // ENT-03: it is one of the two.
    return findIn(Queues, name, [...path, 'Queues']) ?? findIn(Topics, name, [...path, 'Topics']);
  }
  const topic = findIn(Topics, topicName, [...path, 'Topics']);
  return topic && findIn(topic.entity.Subscriptions, name, [...topic.path, 'Subscriptions']);
}

/** ENT-02: a name is found in whatever case. */
function findIn<Entity extends OfficialQueue>(
  entities: readonly Entity[] | null | undefined,
  name: string,
  path: Path,
): { readonly path: Path; readonly entity: Entity } | undefined {
  const names = (entities ?? []).map(({ Name }) => Name);
  const index = indexOfName(name, names);
  const entity = entities?.[index];
  return entity && { path: [...path, index], entity };
}

function invalid(file: string, problems: readonly string[]): ConfigError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const located = problems.map((problem) => `${file}:${problem}`);
  return new ConfigError('config-file-invalid', `The config file ${file} has ${count}`, located);
}

async function readText(file: string): Promise<string> {
  try {
    // Some editors put a byte order mark first.
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const why = await whyUnreadable(file, error);
    throw new ConfigError('config-file-unreadable', `Cannot read the config file ${file}: ${why}`, [], error);
  }
}

export async function whyUnreadable(file: string, error: unknown): Promise<string> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code !== 'EACCES') return String(error);
  // Mounted into a container, a file that only its owner may read is the usual mistake.
  const found = await stat(file).catch(() => undefined);
  const mode =
    found === undefined ? '' : `, it has mode ${(found.mode & 0o777).toString(8)} and uid ${found.uid}`;
  return `uid ${process.getuid?.()} may not read it${mode}. Try: chmod a+r ${file}`;
}
