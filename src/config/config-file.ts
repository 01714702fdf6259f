// Reads a user's Config.json in the official emulator's schema. Loaded only when there is one: it brings zod along.

import { readFile, stat } from 'node:fs/promises';
import type { QueueDescription } from '../broker/entity/queue-description.js';
import { ConfigError, type RefusedProperty } from './config-error.js';
import { checkConfig } from './config-schema.js';
import { LocatedJson, type Path, type Remark } from './located-json.js';
import { type OfficialConfig, officialName, queuesOf, topicNamesOf } from './official-config.js';

export type ConfigFile = {
  readonly queues: readonly QueueDescription[];
  /** Located, one line each. */
  readonly warnings: readonly string[];
  /** Where a queue's property stands: `file:line:column  path`; where the queue does when it does not have it. */
  readonly placeOf: (queue: RefusedProperty) => string | undefined;
};

/** Comments and trailing commas are allowed. Throws a ConfigError that lists all problems of the file. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const json = new LocatedJson(await readText(file));
  if (json.syntaxErrors.length > 0) throw invalid(file, json.syntaxErrors);
  const { config, errors, unknownKeys } = checkConfig(json.value);
  const mistakes = [...json.repeatedKeys(), ...errors];
  if (config === undefined || mistakes.length > 0) {
    throw invalid(
      file,
      mistakes.map((mistake) => json.locate(mistake)),
    );
  }
  const warnings = [...unknownKeys, ...remarkOnTopics(topicNamesOf(config))];
  return {
    queues: queuesOf(config),
    warnings: warnings.map((warning) => `${file}:${json.locate(warning)}`),
    placeOf: (refused) => {
      const path = pathTo(refused, config);
      return path === undefined ? undefined : `${file}:${json.locate({ path, text: '' }).trimEnd()}`;
    },
  };
}

/** ENT-02: a name is found in whatever case. */
function pathTo({ queueName, property }: RefusedProperty, { UserConfig }: OfficialConfig): Path | undefined {
  const queues = UserConfig.Namespaces[0]?.Queues ?? [];
  const index = queues.findIndex(({ Name }) => Name.toLowerCase() === queueName.toLowerCase());
  if (index < 0) return undefined;
  const queue: Path = ['UserConfig', 'Namespaces', 0, 'Queues', index];
  const name = officialName(property);
  return Object.hasOwn(queues[index]?.Properties ?? {}, name) ? [...queue, 'Properties', name] : queue;
}

function remarkOnTopics(names: readonly string[]): Remark[] {
  if (names.length === 0) return [];
  const path = ['UserConfig', 'Namespaces', 0, 'Topics'];
  return [{ path, text: `are not served yet, so these do not exist: ${names.join(', ')}` }];
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
