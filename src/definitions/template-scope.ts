// The parameters and variables of a template, and the values of its expressions.

import { within } from '../description/value-error.js';
import { isJsonObject, type JsonObject, valueIn } from './json-object.js';
import { evaluateExpression, isExpression, type Lookup, literalText } from './template-expression.js';
import type { UnknownValues } from './unknown-values.js';

/** The number of the present round in each copy loop, by its name; the innermost loop comes last. */
export type CopyIndexes = readonly { readonly name: string; readonly index: number }[];

export type DeploymentFacts = {
  readonly unknowns: UnknownValues;
  readonly skuOfNamespace: () => unknown;
};

const MOST_COPIES = 10_000;

export class TemplateScope {
  readonly #template: JsonObject;
  readonly #given: ReadonlyMap<string, unknown>;
  readonly #unknowns: UnknownValues;
  readonly #skuOfNamespace: () => unknown;
  /** By name in lower case; undefined while it is worked out. */
  readonly #variables = new Map<string, { readonly value: unknown } | undefined>();

  /** `given` holds the values of parameters by their names in lower case. */
  constructor(
    template: JsonObject,
    given: ReadonlyMap<string, unknown>,
    { unknowns, skuOfNamespace }: DeploymentFacts,
  ) {
    this.#template = template;
    this.#given = given;
    this.#unknowns = unknowns;
    this.#skuOfNamespace = skuOfNamespace;
  }

  /** Evaluates all expressions in a value. Throws a ValueError for a text that looks like an expression and is none. */
  evaluate(value: unknown, copies: CopyIndexes): unknown {
    if (typeof value === 'string') {
      if (!isExpression(value)) return literalText(value);
      return evaluateExpression(value, this.#lookup(copies), this.#unknowns);
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => within(index, () => this.evaluate(item, copies)));
    }
    return isJsonObject(value) ? this.#evaluateObject(value, copies) : value;
  }

  /** A `copy` in an object makes lists: `{ "copy": [{ "name": "names", "count": 3, "input": ... }] }`. */
  #evaluateObject(object: JsonObject, copies: CopyIndexes): JsonObject {
    const made: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(object)) {
      if (key === 'copy' && Array.isArray(value)) {
        for (const loop of value) made[String(valueIn(loop, 'name'))] = this.#copy(loop, copies);
      } else made[key] = within(key, () => this.evaluate(value, copies));
    }
    return made;
  }

  #copy(loop: unknown, copies: CopyIndexes): unknown {
    const name = String(valueIn(loop, 'name'));
    const count = this.count(valueIn(loop, 'count'), copies);
    if (typeof count === 'string') return count;
    return Array.from({ length: count }, (_, index) =>
      this.evaluate(valueIn(loop, 'input'), [...copies, { name, index }]),
    );
  }

  /** The number of rounds of a loop, or an unknown value. */
  count(given: unknown, copies: CopyIndexes): number | string {
    const count = this.evaluate(given, copies);
    if (typeof count === 'number' && count >= 0 && count <= MOST_COPIES) return count;
    const reason = this.#unknowns.reasonIn(count);
    return this.#unknowns.add(reason ?? `a loop has the count ${JSON.stringify(count)}`);
  }

  #lookup(copies: CopyIndexes): Lookup {
    return (name, [first, second, third]) => {
      switch (name) {
        case 'parameters':
          return { value: this.#parameter(String(first)) };
        case 'variables':
          return { value: this.#variable(String(first)) };
        case 'copyindex':
          return { value: this.#copyIndex(copies, first, second) };
        case 'reference':
          // Azure Verified Modules ask the namespace for its tier.
          return third === 'full' ? { value: { sku: this.#skuOfNamespace() } } : undefined;
        default:
          return undefined;
      }
    };
  }

  #parameter(name: string): unknown {
    const key = name.toLowerCase();
    const parameter = valueIn(this.#template.parameters, name);
    const fallback = valueIn(parameter, 'defaultValue');
    const given = this.#given.get(key);
    // A null that is given stands for the default, where there is one.
    if (this.#given.has(key) && (given !== null || fallback === undefined)) return given;
    if (fallback !== undefined) return this.#once(`parameter ${key}`, () => this.evaluate(fallback, []));
    if (valueIn(parameter, 'nullable') === true) return null;
    const others = this.#withoutValue().filter((one) => one.toLowerCase() !== key);
    return this.#unknowns.add(
      others.length === 0
        ? `the parameter ${name} has no value: give it with --parameters <file>`
        : `the parameter ${name} has no value, nor has ${others.join(', ')}: give them with --parameters <file>`,
    );
  }

  #withoutValue(): readonly string[] {
    const { parameters } = this.#template;
    return Object.entries(isJsonObject(parameters) ? parameters : {})
      .filter(([, one]) => valueIn(one, 'defaultValue') === undefined && valueIn(one, 'nullable') !== true)
      .map(([name]) => name)
      .filter((name) => !this.#given.has(name.toLowerCase()));
  }

  #variable(name: string): unknown {
    const { variables } = this.#template;
    const loops = valueIn(variables, 'copy');
    const loop = Array.isArray(loops) ? loops.find((one) => isNamed(one, name)) : undefined;
    const value = valueIn(variables, name);
    return this.#once(`variable ${name.toLowerCase()}`, () => {
      if (loop !== undefined) return this.#copy(loop, []);
      return value === undefined
        ? this.#unknowns.add(`there is no variable ${name}`)
        : this.evaluate(value, []);
    });
  }

  #once(key: string, evaluate: () => unknown): unknown {
    if (this.#variables.has(key)) {
      const known = this.#variables.get(key);
      return known === undefined ? this.#unknowns.add(`the ${key} depends on itself`) : known.value;
    }
    this.#variables.set(key, undefined);
    const value = evaluate();
    this.#variables.set(key, { value });
    return value;
  }

  #copyIndex(copies: CopyIndexes, first: unknown, second: unknown): unknown {
    const isNameGiven = typeof first === 'string';
    const loop = isNameGiven
      ? copies.findLast(({ name }) => name.toLowerCase() === first.toLowerCase())
      : copies.at(-1);
    if (loop === undefined) return this.#unknowns.add('copyIndex() stands in no loop');
    return loop.index + Number((isNameGiven ? second : first) ?? 0);
  }
}

function isNamed(loop: unknown, name: string): boolean {
  return String(valueIn(loop, 'name')).toLowerCase() === name.toLowerCase();
}

/** The parameters of a file, or of a nested deployment: `{ "name": { "value": ... } }`, by their names in lower case. */
export function givenParameters(
  given: unknown,
  evaluate: (value: unknown) => unknown,
  unknowns: UnknownValues,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, entry] of Object.entries(isJsonObject(given) ? given : {})) {
    const value = isJsonObject(entry) && Object.hasOwn(entry, 'value') ? evaluate(entry.value) : undefined;
    const isSecret = isJsonObject(entry) && Object.hasOwn(entry, 'reference');
    if (isSecret)
      values.set(name.toLowerCase(), unknowns.add(`the parameter ${name} comes from a key vault`));
    else values.set(name.toLowerCase(), value === undefined ? entry : value);
  }
  return values;
}
