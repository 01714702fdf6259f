// Reads what `terraform show -json` prints: the state, or a plan.

import { type Path, readAllParts, ValueError } from '../description/value-error.js';
import type { PlacedResource } from './azure-resource.js';
import { isJsonObject, type JsonObject } from './json-object.js';
import { PARENT_ATTRIBUTE } from './terraform-names.js';
import {
  kindOfTerraform,
  namesOf,
  resourceOfTerraform,
  type TerraformResource,
} from './terraform-resources.js';

type ReadState = { readonly resources: readonly PlacedResource[]; readonly notes: readonly string[] };

/** A resource in the listing, with where it stands in the configuration. */
type Listed = TerraformResource & {
  readonly label: string;
  /** The key or number of one of several made by `for_each` or `count`. */
  readonly index: unknown;
  readonly module: string;
};

/** Throws a ValueError with all problems, each with its place. */
export function readTerraformState(state: JsonObject): ReadState {
  const key = isJsonObject(state.planned_values) ? 'planned_values' : 'values';
  const values = state[key];
  if (!isJsonObject(values)) {
    const isFile = 'lineage' in state || Array.isArray(state.resources);
    throw new ValueError(
      isFile
        ? 'is the state as Terraform keeps it: give what terraform show -json prints of it'
        : 'has no values: the state is empty',
    );
  }
  return new StateReader(state).read(values.root_module, [key, 'root_module']);
}

class StateReader {
  readonly #configuration: unknown;
  readonly #listed: Listed[] = [];
  readonly #leftOut = new Map<string, number>();

  constructor(state: JsonObject) {
    this.#configuration = isJsonObject(state.configuration) ? state.configuration.root_module : undefined;
  }

  read(module: unknown, path: Path): ReadState {
    this.#list(module, path, '', this.#configuration);
    const ours = this.#listed.flatMap((resource) => {
      const kind = kindOfTerraform(resource.type);
      if (kind !== undefined) return [() => resourceOfTerraform(kind, resource)];
      this.#leftOut.set(resource.type, (this.#leftOut.get(resource.type) ?? 0) + 1);
      return [];
    });
    const resources = readAllParts(ours);
    const leftOut = [...this.#leftOut].map(([type, count]) => `${count} ${type}`);
    const notes =
      leftOut.length === 0
        ? []
        : [`left out, because they are no queues, topics, subscriptions or rules: ${leftOut.join(', ')}`];
    return { resources, notes };
  }

  #list(module: unknown, path: Path, address: string, configuration: unknown): void {
    if (!isJsonObject(module)) return;
    const resources = Array.isArray(module.resources) ? module.resources : [];
    resources.forEach((resource, at) => {
      if (!isJsonObject(resource) || resource.mode === 'data') return;
      const { type, name, index, values } = resource;
      const listed: Listed = {
        type: String(type),
        label: String(name),
        index,
        module: address,
        values: isJsonObject(values) ? values : {},
        path: [...path, 'resources', at, 'values'],
        parentNames: () => this.#parentNames(listed, configuration),
      };
      this.#listed.push(listed);
    });
    const children = Array.isArray(module.child_modules) ? module.child_modules : [];
    children.forEach((child, at) => {
      if (!isJsonObject(child)) return;
      const childAddress = String(child.address);
      const [, call = ''] = /(?:^|\.)module\.([^.[]+)(?:\[[^\]]*\])?$/.exec(childAddress) ?? [];
      this.#list(child, [...path, 'child_modules', at], childAddress, calledModule(configuration, call));
    });
  }

  /** Before it is applied, a plan has no ids, but its configuration says which resource is meant. */
  #parentNames(resource: Listed, configuration: unknown): readonly string[] | undefined {
    const kind = kindOfTerraform(resource.type);
    const block = kind && configuredResource(configuration, resource);
    const expression =
      kind && isJsonObject(block)
        ? valueAt(block, ['expressions', PARENT_ATTRIBUTE[kind], 'references'])
        : undefined;
    const references = Array.isArray(expression) ? expression.map(String) : [];
    for (const reference of references) {
      const [, type, label, index] = /^([a-z_]+)\.([^.[]+)(?:\[([^\]]+)\])?/.exec(reference) ?? [];
      const parentKind = type === undefined ? undefined : kindOfTerraform(type);
      if (parentKind === undefined) continue;
      const all = this.#listed.filter(
        (one) => one.type === type && one.label === label && one.module === resource.module,
      );
      const wanted = index === undefined ? resource.index : JSON.parse(index);
      const parent = all.length === 1 ? all[0] : all.find((one) => one.index === wanted);
      if (parent !== undefined) return namesOf(parentKind, parent);
    }
    return undefined;
  }
}

function configuredResource(configuration: unknown, { type, label }: Listed): unknown {
  const resources = isJsonObject(configuration) ? configuration.resources : undefined;
  const all = Array.isArray(resources) ? resources : [];
  return all.find((one) => isJsonObject(one) && one.type === type && one.name === label);
}

function calledModule(configuration: unknown, call: string): unknown {
  return valueAt(configuration, ['module_calls', call, 'module']);
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce((part: unknown, step) => (isJsonObject(part) ? part[step] : undefined), value);
}
