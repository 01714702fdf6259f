// A Config.json in the official emulator's schema, read from text. Loaded only when there is one: it brings zod along.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import { ConfigError } from './config-error.js';
import { checkMeaning } from './config-meaning.js';
import { type ConfigPlaces, placesIn } from './config-places.js';
import { repaired } from './config-repair.js';
import { checkConfig } from './config-schema.js';
import type { ConfiguredTopic } from './configured-topic.js';
import { LocatedJson, type Remark } from './located-json.js';
import { queuesOf, topicsOf } from './official-config.js';

export type ConfigText = {
  /** Whence it comes, as places in it begin: a file's path, or the name of a variable or option. */
  readonly name: string;
  readonly text: string;
  readonly isFile?: boolean;
};

export type ReadConfig = {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
  /** Located, one line each. */
  readonly warnings: readonly string[];
  readonly places: ConfigPlaces;
};

/** Comments and trailing commas are allowed. Throws a ConfigError that lists all problems of the text. */
export function readConfigText({ name, text, isFile = false }: ConfigText): ReadConfig {
  // Some editors put a byte order mark first.
  const json = new LocatedJson(text.replace(/^\uFEFF/, ''), isFile ? 'the file' : name);
  const invalid = (what: string, problems: readonly string[]) => {
    const title = isFile ? `The config file ${name}` : `The config in ${name}`;
    return new ConfigError('config-file-invalid', `${title} has ${what}`, problems);
  };
  const located = (remarks: readonly Remark[]) => json.locateAll(remarks).map((line) => `${name}:${line}`);
  if (json.syntaxError !== undefined) {
    throw invalid('a problem', [`${name}:${json.syntaxError}`, ...hintAtFile({ name, text })]);
  }
  const { config, errors, unknownKeys } = checkConfig(json.value);
  const sound = config ?? repaired(json.value, errors);
  const meaning = sound === undefined ? { errors: [], warnings: [] } : checkMeaning(sound);
  const mistakes = [...json.repeatedKeys(), ...errors, ...meaning.errors];
  if (config === undefined || mistakes.length > 0) {
    const count = [...counted(mistakes, 'problem'), ...counted(unknownKeys, 'warning')].join(' and ');
    // A key that is not known is often the misspelt one that is missing.
    const remarks = unknownKeys.map(({ path, text, hint }) => ({ path, text: `${text}.${hint}` }));
    throw invalid(count, located([...mistakes, ...remarks]));
  }
  const ignored = unknownKeys.map(({ path, text, hint }) => ({
    path,
    text: `${text} and was ignored.${hint}`,
  }));
  return {
    queues: queuesOf(config),
    topics: topicsOf(config),
    warnings: located([...ignored, ...meaning.warnings]),
    places: placesIn(config, json, name),
  };
}

function counted(remarks: readonly Remark[], what: string): string[] {
  if (remarks.length === 0) return [];
  return [remarks.length === 1 ? `a ${what}` : `${remarks.length} ${what}s`];
}

/** A path is often given where the config itself belongs. */
function hintAtFile({ name, text }: ConfigText): string[] {
  if (/[{[\n]/.test(text)) return [];
  if (name === 'configJson') return ['A file is named by the option configFile'];
  return name.endsWith('CONFIG_JSON') ? ['A file is named by --config or JITNEY_CONFIG'] : [];
}
