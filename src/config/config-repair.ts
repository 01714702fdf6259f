// A Config.json with its wrong parts taken out, so that what else is wrong with it is told at the same time.

import type { Path } from '../description/value-error.js';
import type { Remark } from './located-json.js';
import type { OfficialConfig } from './official-config.js';

/** What meets no objection, whether it stands for a rule or for an entity. */
const HARMLESS = { FilterType: 'True' } as const;

/** For a look at names and rules alone; undefined when there is no telling what is what. */
export function repaired(value: unknown, errors: readonly Remark[]): OfficialConfig | undefined {
  const isBeyondRepair = errors.some(({ path }) => path.length <= ['UserConfig', 'Namespaces'].length);
  if (isBeyondRepair) return undefined;
  const config = structuredClone(value);
  errors.forEach(({ path }, index) => {
    // No name in a file is like this one.
    repair(config, path, `\u0000${index}`);
  });
  return config as OfficialConfig;
}

function repair(config: unknown, path: Path, name: string): void {
  const properties = path.indexOf('Properties');
  const place = properties < 0 ? path : path.slice(0, properties + 1);
  const last = place.at(-1);
  if (last === undefined) return;
  let parent = config;
  for (const step of place.slice(0, -1)) parent = isObject(parent) ? parent[step] : undefined;
  if (isObject(parent)) parent[last] = harmless(last, name);
}

function harmless(step: string | number, name: string): unknown {
  if (typeof step === 'number') return { Name: name, Properties: HARMLESS };
  if (step === 'Name') return name;
  return step === 'Properties' ? HARMLESS : null;
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}
