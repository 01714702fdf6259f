// Reads the queues, topics, subscriptions and rules of an ARM template, with its parameters, loops and nested deployments.

import { isAbsent } from '../config/official-rule.js';
import { PROPERTIES_OF } from '../description/described-entity.js';
import { findByName } from '../description/entity-property.js';
import { suggestion } from '../description/suggestion.js';
import { type Path, shown, ValueError } from '../description/value-error.js';
import { NAMESPACE_TYPE, type PlacedResource, RESOURCE_TYPES, type ResourceKind } from './azure-resource.js';
import { isJsonObject, type JsonObject, valueIn } from './json-object.js';
import { atPlace } from './place.js';
import { type CopyIndexes, givenParameters, TemplateScope } from './template-scope.js';
import { UnknownValues } from './unknown-values.js';

type Options = {
  readonly parameters?: unknown;
  /** The namespace to read when there are several. */
  readonly namespace?: string | undefined;
};

type ReadTemplate = { readonly resources: readonly PlacedResource[]; readonly notes: readonly string[] };

/** Where a resource stands: in its template, in the loops around it, and below its parent. */
type Place = {
  readonly path: Path;
  readonly scope: TemplateScope;
  readonly copies: CopyIndexes;
  readonly parent?: { readonly type: string; readonly name: string };
};

type NamedResource = PlacedResource & { readonly namespace: string };

const DEPLOYMENT = 'microsoft.resources/deployments';
const KINDS = new Map(
  Object.entries(RESOURCE_TYPES).map(([kind, type]) => [type.toLowerCase(), kind as ResourceKind]),
);
const PROVIDER = 'microsoft.servicebus/';
const ENOUGH_PROBLEMS = 100;

/** Throws a ValueError with all problems, each with its place. */
export function readArmTemplate(template: JsonObject, options: Options = {}): ReadTemplate {
  return new TemplateReader().read(template, options);
}

class TemplateReader {
  readonly #unknowns = new UnknownValues();
  #sku: unknown;
  readonly #facts = {
    unknowns: this.#unknowns,
    skuOfNamespace: () =>
      this.#sku ?? this.#unknowns.add('the template has no namespace whose tier it asks for'),
  };
  readonly #found: NamedResource[] = [];
  readonly #problems: { readonly path: Path; readonly text: string }[] = [];
  readonly #notes: string[] = [];
  readonly #leftOut = new Map<string, number>();

  read(template: JsonObject, { parameters, namespace }: Options): ReadTemplate {
    const file =
      isJsonObject(parameters) && isJsonObject(parameters.parameters) ? parameters.parameters : parameters;
    refuseUnknown(file, template.parameters);
    const given = givenParameters(file, (value) => value, this.#unknowns);
    const scope = new TemplateScope(template, given, this.#facts);
    this.#readAll(template.resources, { path: ['resources'], scope, copies: [] });
    if (this.#problems.length > 0) throw new ValueError(this.#problems);
    const resources = this.#ofOneNamespace(namespace);
    const leftOut = [...this.#leftOut].map(([type, count]) => `${count} ${type}`);
    if (leftOut.length > 0)
      this.#notes.push(
        `left out, because they are no queues, topics, subscriptions or rules: ${leftOut.join(', ')}`,
      );
    return { resources, notes: this.#notes };
  }

  /** Names that only a deployment knows may be those of any namespace. */
  #ofOneNamespace(wanted: string | undefined): readonly NamedResource[] {
    const isKnown = ({ namespace }: NamedResource) => this.#unknowns.reasonIn(namespace) === undefined;
    const names = [...new Set(this.#found.filter(isKnown).map(({ namespace }) => namespace.toLowerCase()))];
    if (wanted !== undefined) {
      return this.#found.filter(
        (resource) => !isKnown(resource) || resource.namespace.toLowerCase() === wanted.toLowerCase(),
      );
    }
    if (names.length <= 1) return this.#found;
    throw new ValueError(`has the namespaces ${names.join(', ')}: choose one with --namespace <name>`);
  }

  #readAll(resources: unknown, place: Place): void {
    const entries = Array.isArray(resources)
      ? resources.map((resource, index) => [index, resource] as const)
      : Object.entries(isJsonObject(resources) ? resources : {});
    // The namespace comes first, because its tier decides on properties of the others.
    const isNamespace = ([, resource]: readonly [unknown, unknown]) =>
      valueIn(resource, 'type') === NAMESPACE_TYPE;
    const ordered = [...entries.filter(isNamespace), ...entries.filter((entry) => !isNamespace(entry))];
    for (const [step, resource] of ordered) {
      if (this.#problems.length >= ENOUGH_PROBLEMS) return;
      // A symbolic name may stand for a resource that another template makes.
      if (!isJsonObject(resource) || resource.existing === true) continue;
      const path = [...place.path, step];
      this.#collecting(() => this.#readLoop(resource, { ...place, path }));
    }
  }

  #collecting(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.#problems.push(...error.problems);
    }
  }

  #readLoop(resource: JsonObject, place: Place): void {
    const type = this.#typeOf(resource, place);
    if (!isOurs(type) || isOfOthers(type, resource)) {
      this.#leftOut.set(type, (this.#leftOut.get(type) ?? 0) + 1);
      return;
    }
    const { copy } = resource;
    if (!isJsonObject(copy)) return this.#readResource(resource, type, place);
    const path = [...place.path, 'copy', 'count'];
    const count = atPlace(path, () => place.scope.count(copy.count, place.copies));
    if (typeof count === 'string') return this.#refuse(path, count);
    const name = String(copy.name);
    for (let index = 0; index < count; index++) {
      const copies = [...place.copies, { name, index }];
      this.#collecting(() => this.#readResource(resource, type, { ...place, copies }));
      if (this.#problems.length >= ENOUGH_PROBLEMS) return;
    }
  }

  #typeOf(resource: JsonObject, { path, scope, copies, parent }: Place): string {
    const type = String(atPlace([...path, 'type'], () => scope.evaluate(resource.type, copies)));
    return parent === undefined || type.includes('.') ? type : `${parent.type}/${type}`;
  }

  #readResource(resource: JsonObject, type: string, place: Place): void {
    const { path, scope, copies } = place;
    const evaluate = (key: string) => atPlace([...path, key], () => scope.evaluate(resource[key], copies));
    const condition = evaluate('condition') ?? true;
    if (this.#unknowns.reasonIn(condition) !== undefined) this.#refuse([...path, 'condition'], condition);
    if (condition !== true) return;
    if (type.toLowerCase() === DEPLOYMENT) return this.#readDeployment(resource, place);
    const own = evaluate('name');
    const depth = type.split('/').length - 1;
    const isWhole = place.parent === undefined || String(own).split('/').length === depth;
    const name = isWhole ? String(own) : `${place.parent?.name}/${own}`;
    if (type.toLowerCase() === NAMESPACE_TYPE.toLowerCase()) this.#sku ??= evaluate('sku');
    const kind = KINDS.get(type.toLowerCase());
    if (kind !== undefined) this.#add({ kind, type, name, properties: evaluate('properties'), path });
    this.#readAll(resource.resources, { ...place, path: [...path, 'resources'], parent: { type, name } });
  }

  #add(given: {
    readonly kind: ResourceKind;
    readonly type: string;
    readonly name: string;
    readonly properties: unknown;
    readonly path: Path;
  }): void {
    const { kind, type, name, path } = given;
    const [namespace = '', ...names] = name.split('/');
    const namePath = [...path, 'name'];
    if (this.#unknowns.reasonIn(names) !== undefined) this.#refuse(namePath, names);
    const count = type.split('/').length - 1;
    if (names.length + 1 !== count) {
      if (this.#unknowns.reasonIn(name) !== undefined) this.#refuse(namePath, name);
      const text = `must have ${count} parts, as its type ${type}, not ${shown(name)}`;
      throw new ValueError([{ path: namePath, text }]);
    }
    const pathOf = (property: string) => [...path, 'properties', property];
    const properties = this.#knownProperties(kind, given.properties ?? {}, [...path, 'properties']);
    this.#found.push({ kind, namespace, names, properties, path, pathOf });
  }

  /** Refuses a property that is needed and not known; one that means nothing here need not be known. */
  #knownProperties(kind: ResourceKind, properties: unknown, path: Path): JsonObject {
    if (typeof properties === 'string') this.#refuse(path, properties);
    if (!isJsonObject(properties)) {
      throw new ValueError([{ path, text: `must be an object, not ${shown(properties)}` }]);
    }
    const known: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(properties)) {
      if (this.#unknowns.reasonIn(value) === undefined) known[name] = value;
      else if (isNeeded(kind, name)) this.#collecting(() => this.#refuse([...path, name], value));
    }
    return known;
  }

  #readDeployment(resource: JsonObject, { path, scope, copies }: Place): void {
    const properties = isJsonObject(resource.properties) ? resource.properties : {};
    const { template, templateLink, expressionEvaluationOptions: options } = properties;
    if (!isJsonObject(template)) {
      const what = isAbsent(templateLink) ? 'has no template' : 'links to a template, which is not read';
      this.#notes.push(`the deployment ${shown(resource.name)} ${what}`);
      return;
    }
    const at = [...path, 'properties'];
    const isInner = String(valueIn(options, 'scope')).toLowerCase() === 'inner';
    const given = isInner
      ? atPlace([...at, 'parameters'], () =>
          givenParameters(properties.parameters, (value) => scope.evaluate(value, copies), this.#unknowns),
        )
      : undefined;
    // By default, expressions of a nested template see the parameters and variables of the outer one.
    const inner = given === undefined ? scope : new TemplateScope(template, given, this.#facts);
    this.#readAll(template.resources, {
      path: [...at, 'template', 'resources'],
      scope: inner,
      copies: given === undefined ? copies : [],
    });
  }

  #refuse(path: Path, value: unknown): never {
    throw new ValueError([{ path, text: `cannot be evaluated: ${this.#unknowns.reasonIn(value)}` }]);
  }
}

function isOurs(type: string): boolean {
  const lower = type.toLowerCase();
  return lower === DEPLOYMENT || lower === NAMESPACE_TYPE.toLowerCase() || KINDS.has(lower);
}

/** Azure refuses a value for a parameter that the template does not have. Throws a ValueError. */
function refuseUnknown(file: unknown, declared: unknown): void {
  const known = Object.keys(isJsonObject(declared) ? declared : {});
  const isKnown = (name: string) => known.some((one) => one.toLowerCase() === name.toLowerCase());
  const problems = Object.keys(isJsonObject(file) ? file : {})
    .filter((name) => name !== '$schema' && name !== 'contentVersion' && !isKnown(name))
    .map((name) => ({
      path: ['parameters'],
      text: `has no parameter ${name}, for which --parameters gives a value.${suggestion(name, known)}`,
    }));
  if (problems.length > 0) throw new ValueError(problems);
}

/** Whether a nested deployment makes nothing of a Service Bus: then its parameters and conditions may be anything. */
function isOfOthers(type: string, resource: JsonObject): boolean {
  const template = valueIn(resource.properties, 'template');
  if (type.toLowerCase() !== DEPLOYMENT || !isJsonObject(template)) return false;
  return !JSON.stringify(template).toLowerCase().includes(PROVIDER);
}

function isNeeded(kind: ResourceKind, property: string): boolean {
  switch (kind) {
    case 'queue':
    case 'topic':
    case 'subscription':
      return findByName(PROPERTIES_OF[kind] as (typeof PROPERTIES_OF)['queue'], property) !== undefined;
    default:
      return true;
  }
}
