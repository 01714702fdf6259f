// Reads a Config.json of the official emulator from a file or from text. Imports zod, so it is loaded only when needed.

import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { QueueDescription } from '../broker/contract/entities/queue-description.js';
import type { Path } from '../description/value-error.js';
import { JitneyError } from '../jitney-error.js';
import { type ConfigLocations, locationsIn } from './config-locations.js';
import { checkMeaning } from './config-meaning.js';
import { checkConfig } from './config-schema.js';
import type { ConfiguredTopic } from './configured-topic.js';
import { LocatedJson, type Remark } from './located-json.js';
import { type OfficialConfig, queuesOf, topicsOf } from './official-config.js';
import { whyUnreadable } from './why-unreadable.js';

export type ConfigText = {
  /** The source, with which each location begins: the path of a file, or the name of a variable or option. */
  readonly name: string;
  readonly text: string;
  readonly isFile?: boolean;
};

export type NamespaceEntities = {
  readonly name: string;
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
};

export type ReadConfig = {
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ConfiguredTopic[];
  /** The namespaces behind the first one, which is `default`. */
  readonly namespaces?: readonly NamespaceEntities[];
  /** One line each, with their location. */
  readonly warnings: readonly string[];
  readonly locations: ConfigLocations;
};

/** Reads a config, which may have comments and trailing commas. Throws a JitneyError that lists all problems. */
export function readConfigText({ name, text, isFile = false }: ConfigText): ReadConfig {
  // Some editors write a byte order mark.
  const json = new LocatedJson(text.replace(/^\uFEFF/, ''), isFile ? 'the file' : name);
  const invalid = (what: string, problems: readonly string[]) => {
    const title = isFile ? `The config file ${name}` : `The config in ${name}`;
    return new JitneyError('config-file-invalid', `${title} has ${what}`, { problems });
  };
  const located = (remarks: readonly Remark[]) => json.locateAll(remarks).map((line) => `${name}:${line}`);
  if (json.syntaxError !== undefined) {
    throw invalid('a problem', [`${name}:${json.syntaxError}`, ...hintAtFile({ name, text })]);
  }
  const { config, errors, unknownKeys } = checkConfig(json.value);
  const wellShaped = config ?? repaired(json.value, errors);
  const findings = wellShaped === undefined ? { errors: [], warnings: [] } : checkMeaning(wellShaped);
  const mistakes = [...json.repeatedKeys(), ...errors, ...findings.errors];
  if (config === undefined || mistakes.length > 0) {
    const count = [...counted(mistakes, 'problem'), ...counted(unknownKeys, 'warning')].join(' and ');
    // An unknown key is often the misspelling of a missing one.
    const remarks = unknownKeys.map(({ path, text, hint }) => ({
      path,
      text: `${text} (a warning).${hint}`,
    }));
    throw invalid(count, located([...mistakes, ...remarks]));
  }
  const ignored = unknownKeys.map(({ path, text, hint }) => ({
    path,
    text: `${text} and was ignored.${hint}`,
  }));
  return {
    queues: queuesOf(config),
    topics: topicsOf(config),
    namespaces: config.UserConfig.Namespaces.slice(1).map(({ Name }, index) => ({
      name: (Name ?? '').toLowerCase(),
      queues: queuesOf(config, index + 1),
      topics: topicsOf(config, index + 1),
    })),
    warnings: located([...ignored, ...findings.warnings]),
    locations: locationsIn(config, json, name),
  };
}

function counted(remarks: readonly Remark[], what: string): string[] {
  if (remarks.length === 0) return [];
  return [remarks.length === 1 ? `a ${what}` : `${remarks.length} ${what}s`];
}

/** A hint for a path that was given in place of the config itself, a common mistake. */
function hintAtFile({ name, text }: ConfigText): string[] {
  if (/[{[\n]/.test(text)) return [];
  if (name === 'configJson') return ['A file is named by the option configFile'];
  return name.endsWith('CONFIG_JSON') ? ['A file is named by --config or JITNEY_CONFIG'] : [];
}

/** Properties that are valid for a rule as well as for an entity. */
const VALID_PROPERTIES = { FilterType: 'True' } as const;

/** A copy with valid placeholders for all errors, so that names and rules can be checked too; undefined if the namespace itself is invalid. */
export function repaired(value: unknown, errors: readonly Remark[]): OfficialConfig | undefined {
  const isBeyondRepair = errors.some(({ path }) => path.length <= ['UserConfig', 'Namespaces'].length);
  if (isBeyondRepair) return undefined;
  const config = structuredClone(value);
  errors.forEach(({ path }, index) => {
    // No name in a file contains this character.
    repair(config, path, `\u0000${index}`);
  });
  return config as OfficialConfig;
}

function repair(config: unknown, path: Path, name: string): void {
  const properties = path.indexOf('Properties');
  const target = properties < 0 ? path : path.slice(0, properties + 1);
  const last = target.at(-1);
  if (last === undefined) return;
  let parent = config;
  for (const step of target.slice(0, -1)) parent = isObject(parent) ? parent[step] : undefined;
  if (isObject(parent)) parent[last] = placeholder(last, name);
}

function placeholder(step: string | number, name: string): unknown {
  if (typeof step === 'number') return { Name: name, Properties: VALID_PROPERTIES };
  if (step === 'Name') return name;
  return step === 'Properties' ? VALID_PROPERTIES : null;
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Throws a JitneyError. */
export async function readConfigFile(file: string): Promise<ReadConfig> {
  return readConfigText({ name: file, text: await readText(file), isFile: true });
}

async function readText(file: string): Promise<string> {
  try {
    return decodeText(await readFile(file));
  } catch (error) {
    const why = await whyUnreadable(file, error);
    const place = isAbsolute(file) ? file : `${file} (${resolve(file)})`;
    throw new JitneyError('config-file-unreadable', `Cannot read the config file ${place}: ${why}`, {
      cause: error,
    });
  }
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}
