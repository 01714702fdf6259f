// Evaluates the expressions of a template, such as "[format('{0}/{1}', parameters('namespace'), 'orders')]".

import { shown, ValueError } from '../description/value-error.js';
import { KEEPING_UNKNOWN, LOOKING_AT_SHAPES, propertyOf, TEMPLATE_FUNCTIONS } from './template-functions.js';
import type { UnknownValues } from './unknown-values.js';

/** The functions that depend on the place of an expression, such as `parameters`. Undefined: there is none of this name. */
export type Lookup = (name: string, given: readonly unknown[]) => { readonly value: unknown } | undefined;

const NUMBER = /-?\d+(?:\.\d+)?/y;
const NAME = /[a-z_]\w*/iy;
/** A function of the template itself stands behind the name of its group. */
const FUNCTION_NAME = /[a-z_]\w*(?:\.\w+)?/iy;
const SPACE = /\s*/y;
const MOST_LEVELS = 200;

export function isExpression(text: string): boolean {
  return text.startsWith('[') && text.endsWith(']') && !text.startsWith('[[');
}

/** The text that stands in a template for itself: `[[` begins a text that looks like an expression. */
export function literalText(text: string): string {
  return text.startsWith('[[') && text.endsWith(']') ? text.slice(1) : text;
}

/** Throws a ValueError for a text that is no expression. What cannot be evaluated becomes an unknown value. */
export function evaluateExpression(text: string, lookup: Lookup, unknowns: UnknownValues): unknown {
  return new ExpressionReader(text, lookup, unknowns).read();
}

class ExpressionReader {
  readonly #text: string;
  readonly #lookup: Lookup;
  readonly #unknowns: UnknownValues;
  #at = 1;
  #level = 0;

  constructor(text: string, lookup: Lookup, unknowns: UnknownValues) {
    this.#text = text;
    this.#lookup = lookup;
    this.#unknowns = unknowns;
  }

  read(): unknown {
    const value = this.#value();
    if (this.#at !== this.#text.length - 1) this.#fail();
    return value;
  }

  #value(): unknown {
    this.#level += 1;
    if (this.#level > MOST_LEVELS) this.#fail();
    this.#take(SPACE);
    let value = this.#first();
    for (;;) {
      this.#take(SPACE);
      if (this.#isNext('.')) value = this.#property(value, this.#take(NAME) || this.#fail());
      else if (this.#isNext('[')) {
        const step = this.#value();
        if (!this.#isNext(']')) this.#fail();
        value = this.#property(value, step);
      } else break;
    }
    this.#level -= 1;
    return value;
  }

  #first(): unknown {
    if (this.#isNext("'")) return this.#quoted();
    const number = this.#take(NUMBER);
    if (number !== '') return Number(number);
    const name = this.#take(FUNCTION_NAME) || this.#fail();
    this.#take(SPACE);
    return this.#isNext('(') ? this.#call(name, this.#given()) : this.#fail();
  }

  /** Behind the opening quote; two quotes are one. */
  #quoted(): string {
    let text = '';
    for (;;) {
      const end = this.#text.indexOf("'", this.#at);
      if (end < 0) this.#fail();
      text += this.#text.slice(this.#at, end);
      this.#at = end + 1;
      if (!this.#isNext("'")) return text;
      text += "'";
    }
  }

  #given(): unknown[] {
    const given: unknown[] = [];
    this.#take(SPACE);
    if (this.#isNext(')')) return given;
    for (;;) {
      given.push(this.#value());
      if (this.#isNext(')')) return given;
      if (!this.#isNext(',')) this.#fail();
    }
  }

  #call(name: string, given: readonly unknown[]): unknown {
    const found = this.#lookup(name.toLowerCase(), given);
    if (found !== undefined) return found.value;
    const lower = name.toLowerCase();
    const apply = Object.hasOwn(TEMPLATE_FUNCTIONS, lower) ? TEMPLATE_FUNCTIONS[lower] : undefined;
    if (apply === undefined)
      return this.#unknowns.add(`it uses ${name}(), which only a deployment evaluates`);
    const reason = this.#reasonOf(lower, given);
    if (reason !== undefined) return this.#unknowns.add(reason);
    const value = apply(...given);
    return value === undefined
      ? this.#unknowns.add(`${name}() cannot take ${given.map(shown).join(', ')}`)
      : value;
  }

  /** Why the result is not known; undefined when it can be worked out. */
  #reasonOf(name: string, given: readonly unknown[]): string | undefined {
    // The branch that is not taken need not be known, nor what stands beside a false or a true.
    if (name === 'if') return this.#unknowns.reasonIn(given[0]);
    if (name === 'and' && given.includes(false)) return undefined;
    if (name === 'or' && given.includes(true)) return undefined;
    if (name === 'createarray' || name === 'createobject') return undefined;
    const texts = given.filter((value) => typeof value === 'string');
    if (LOOKING_AT_SHAPES.includes(name)) return this.#unknowns.reasonIn(texts);
    const isKept = KEEPING_UNKNOWN.includes(name) && given.every((value) => typeof value !== 'object');
    return isKept ? undefined : this.#unknowns.reasonIn(given);
  }

  #property(value: unknown, step: unknown): unknown {
    const own = this.#unknowns.reasonIn(typeof value === 'string' ? value : undefined);
    const reason = own ?? this.#unknowns.reasonIn(step);
    if (reason !== undefined) return this.#unknowns.add(reason);
    const found = propertyOf(value, step);
    return found === undefined ? this.#unknowns.add(`${shown(value)} has no ${shown(step)}`) : found;
  }

  #isNext(character: string): boolean {
    const isNext = this.#text.charAt(this.#at) === character && this.#at < this.#text.length - 1;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #fail(): never {
    const seen = this.#text.slice(this.#at, this.#at + 20);
    throw new ValueError(
      `is no expression of a template: ${shown(seen)} is not expected at its character ${this.#at + 1}`,
    );
  }
}
