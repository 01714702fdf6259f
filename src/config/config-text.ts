// A Config.json in the official emulator's schema, read from text. Loaded only when there is one: it brings zod along.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import { ConfigError } from './config-error.js';
import { checkMeaning } from './config-meaning.js';
import { type ConfigPlaces, placesIn } from './config-places.js';
import { repaired } from './config-repair.js';
import { checkConfig } from './config-schema.js';
import type { ConfiguredTopic } from './configured-topic.js';
import { LocatedJson } from './located-json.js';
import { queuesOf, topicsOf } from './official-config.js';

export type ConfigText = {
  /** Whence it comes, as places in it begin: a file's path, or the name of a variable or option. */
  readonly name: string;
  readonly text: string;
};

export type ReadConfig = {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
  /** Located, one line each. */
  readonly warnings: readonly string[];
  readonly places: ConfigPlaces;
};

/** Comments and trailing commas are allowed. Throws a ConfigError that lists all problems of the text. */
export function readConfigText({ name, text }: ConfigText, title = `The config in ${name}`): ReadConfig {
  // Some editors put a byte order mark first.
  const json = new LocatedJson(text.replace(/^\uFEFF/, ''));
  const invalid = (problems: readonly string[]) => {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    const located = problems.map((problem) => `${name}:${problem}`);
    return new ConfigError('config-file-invalid', `${title} has ${count}`, located);
  };
  if (json.syntaxErrors.length > 0) throw invalid(json.syntaxErrors);
  const { config, errors, unknownKeys } = checkConfig(json.value);
  const sound = config ?? repaired(json.value, errors);
  const meaning = sound === undefined ? { errors: [], warnings: [] } : checkMeaning(sound);
  const mistakes = [...json.repeatedKeys(), ...errors, ...meaning.errors];
  if (config === undefined || mistakes.length > 0) {
    // A key that is not known is often the misspelt one that is missing.
    throw invalid(json.locateAll([...mistakes, ...unknownKeys]));
  }
  return {
    queues: queuesOf(config),
    topics: topicsOf(config),
    warnings: json.locateAll([...unknownKeys, ...meaning.warnings]).map((warning) => `${name}:${warning}`),
    places: placesIn(config, json, name),
  };
}
