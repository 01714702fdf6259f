// Reads a configuration of Terraform in JSON, `.tf.json`, as far as its names and properties are plain values.

import { type Path, readAllParts, shown, ValueError } from '../description/value-error.js';
import type { PlacedResource } from './azure-resource.js';
import { isJsonObject, type JsonObject, valueIn } from './json-object.js';
import { PARENT_ATTRIBUTE } from './terraform-names.js';
import {
  kindOfTerraform,
  namesOf,
  resourceOfTerraform,
  type TerraformResource,
} from './terraform-resources.js';

type ReadConfiguration = { readonly resources: readonly PlacedResource[]; readonly notes: readonly string[] };

const REFERENCE = /^\$\{([a-z_]+)\.([\w-]+)\.(id|name)\}$/;
const VARIABLE = /^\$\{var\.([\w-]+)\}$/;
const LOOPS = ['for_each', 'count'] as const;

/** Throws a ValueError with all problems, each with its place. */
export function readTerraformConfiguration(configuration: JsonObject): ReadConfiguration {
  return new ConfigurationReader(configuration).read();
}

class ConfigurationReader {
  readonly #configuration: JsonObject;

  constructor(configuration: JsonObject) {
    this.#configuration = configuration;
  }

  read(): ReadConfiguration {
    const leftOut = new Map<string, number>();
    const readers: (() => PlacedResource)[] = [];
    for (const [type, blocks] of Object.entries(
      isJsonObject(this.#configuration.resource) ? this.#configuration.resource : {},
    )) {
      const labels = Object.keys(isJsonObject(blocks) ? blocks : {});
      const kind = kindOfTerraform(type);
      if (kind === undefined) leftOut.set(type, labels.length);
      else
        readers.push(...labels.map((label) => () => resourceOfTerraform(kind, this.#resource(type, label))));
    }
    const resources = readAllParts(readers);
    const counts = [...leftOut].map(([type, count]) => `${count} ${type}`);
    return {
      resources,
      notes:
        counts.length === 0
          ? []
          : [`left out, because they are no queues, topics, subscriptions or rules: ${counts.join(', ')}`],
    };
  }

  #resource(type: string, label: string): TerraformResource {
    const path: Path = ['resource', type, label];
    const block = valueIn(valueIn(this.#configuration.resource, type), label);
    const given = Array.isArray(block) ? block[0] : block;
    const body = isJsonObject(given) ? given : {};
    const loop = LOOPS.find((one) => body[one] !== undefined);
    if (loop !== undefined) throw new ValueError([{ path: [...path, loop], text: ADVICE }]);
    const kind = kindOfTerraform(type);
    const parent = kind === undefined ? undefined : PARENT_ATTRIBUTE[kind];
    const values = Object.entries(body)
      .filter(([name]) => name !== parent && name !== 'depends_on')
      .map(([name, value]) => [name, this.#value(value, [...path, name])]);
    return {
      type,
      values: Object.fromEntries(values),
      path,
      parentNames: () => this.#namesBehind(parent === undefined ? undefined : body[parent]),
    };
  }

  #namesBehind(reference: unknown): readonly string[] | undefined {
    const [, type = '', label = ''] = REFERENCE.exec(String(reference)) ?? [];
    const kind = kindOfTerraform(type);
    return kind === undefined ? undefined : namesOf(kind, this.#resource(type, label));
  }

  #value(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((one, index) => this.#value(one, [...path, index]));
    if (isJsonObject(value)) {
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, one]) => [plainText(key) ?? key, this.#value(one, [...path, key])]),
      );
    }
    if (typeof value !== 'string') return value;
    const [, type, label, attribute] = REFERENCE.exec(value) ?? [];
    if (type !== undefined && attribute === 'name') {
      return this.#value(
        valueIn(valueIn(valueIn(this.#configuration.resource, type), label ?? ''), 'name'),
        path,
      );
    }
    const [, variable] = VARIABLE.exec(value) ?? [];
    const fallback = variable && valueIn(valueIn(this.#configuration.variable, variable), 'default');
    if (fallback !== undefined && fallback !== '') return fallback;
    const plain = plainText(value);
    if (plain === undefined) throw new ValueError([{ path, text: `is ${shown(value)}. ${ADVICE}` }]);
    return plain;
  }
}

const ADVICE = 'Terraform itself evaluates this: read what terraform show -json prints';

/** A text without `${...}`; undefined if it has one. `$${` stands for `${`. */
function plainText(text: string): string | undefined {
  return /(?<![$%])[$%]\{/.test(text) ? undefined : text.replace(/\$\$\{|%%\{/g, (found) => found.slice(1));
}
