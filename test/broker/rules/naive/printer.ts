// Writes an expression down as someone might: any spacing, any case of keywords, any quoting, brackets to spare.

import type { ConditionTree, NaiveValue, Property, ValueTree } from './tree.js';

/** How strongly a construct holds together; what stands inside of a stronger one needs brackets. */
const LEVEL = { or: 1, and: 2, not: 3, test: 4, sum: 5, product: 6, sign: 7, primary: 8 } as const;

const SPACES = ['', '', '', ' ', ' ', ' ', '  ', '\n', '\t', '\r\n '] as const;

export class Printer {
  #state: number;
  readonly #tokens: string[] = [];

  constructor(seed: number) {
    this.#state = seed;
  }

  print(tree: ConditionTree): string {
    this.#condition(tree, LEVEL.or);
    let text = this.#pick(SPACES);
    this.#tokens.forEach((token, index) => {
      const space = this.#pick(SPACES);
      const next = this.#tokens[index + 1] ?? '';
      text += token + (space === '' && mustPart(token, next) ? ' ' : space);
    });
    return text;
  }

  #condition(tree: ConditionTree, least: number): void {
    this.#bracketed(levelOfCondition(tree) < least || this.#chance(8), () => this.#plainCondition(tree));
  }

  #plainCondition(tree: ConditionTree): void {
    switch (tree.tag) {
      case 'and':
      case 'or':
        tree.parts.forEach((part, index) => {
          if (index > 0) this.#keyword(tree.tag);
          this.#condition(part, LEVEL[tree.tag] + 1);
        });
        return;
      case 'not':
        this.#keyword('not');
        return this.#condition(tree.of, LEVEL.not);
      case 'exists':
        this.#keyword('exists');
        return this.#bracketed(true, () => this.#property(tree.property));
      case 'is null':
        this.#bracketed(this.#chance(8), () => this.#property(tree.property));
        this.#keyword('is');
        if (tree.isNot) this.#keyword('not');
        return this.#keyword('null');
      case 'compare':
        this.#value(tree.left, LEVEL.sum);
        this.#tokens.push(tree.operator);
        return this.#value(tree.right, LEVEL.sum);
      case 'in':
        this.#value(tree.of, LEVEL.sum);
        if (tree.isNot) this.#keyword('not');
        this.#keyword('in');
        return this.#bracketed(true, () => this.#list(tree.list));
      case 'like':
        return this.#like(tree);
      case 'value':
        return this.#value(tree.of, LEVEL.sum);
    }
  }

  #like(tree: ConditionTree & { readonly tag: 'like' }): void {
    this.#value(tree.of, LEVEL.sum);
    if (tree.isNot) this.#keyword('not');
    this.#keyword('like');
    this.#value(tree.pattern, LEVEL.sum);
    if (tree.escapedBy === undefined) return;
    this.#keyword('escape');
    this.#value(tree.escapedBy, LEVEL.sum);
  }

  #list(list: readonly ValueTree[]): void {
    list.forEach((member, index) => {
      if (index > 0) this.#tokens.push(',');
      this.#value(member, LEVEL.sum);
    });
  }

  #value(tree: ValueTree, least: number): void {
    this.#bracketed(levelOfValue(tree) < least || this.#chance(12), () => this.#plainValue(tree));
  }

  #plainValue(tree: ValueTree): void {
    switch (tree.tag) {
      case 'literal':
        return this.#literal(tree.value);
      case 'parameter':
        this.#tokens.push(`@${tree.name}`);
        return;
      case 'property':
        return this.#property(tree.property);
      case 'newid':
        this.#keyword('newid');
        return this.#bracketed(true, () => {});
      case 'property()':
        this.#keyword(this.#pick(['property', 'p']));
        return this.#bracketed(true, () => this.#value(tree.argument, LEVEL.sum));
      case 'unary':
        this.#tokens.push(tree.sign);
        return this.#value(tree.of, LEVEL.sign);
      case 'binary': {
        const level = levelOfValue(tree);
        this.#value(tree.left, level);
        this.#tokens.push(tree.operator);
        return this.#value(tree.right, level + 1);
      }
    }
  }

  #literal(value: NaiveValue): void {
    if (value.type === 'string') this.#tokens.push(`'${value.string.replaceAll("'", "''")}'`);
    else if (value.type === 'int') this.#number(value.int < 0n, `${value.int}`.replace('-', ''));
    else if (value.type === 'double') this.#number(value.double < 0, this.#double(Math.abs(value.double)));
    else if (value.type === 'bool') this.#keyword(String(value.bool));
    else this.#keyword('null');
  }

  #number(isNegative: boolean, text: string): void {
    if (isNegative) this.#tokens.push('-');
    this.#tokens.push(this.#chance(10) ? `0${text}` : text);
  }

  #double(value: number): string {
    const text = this.#chance(3) ? value.toExponential() : String(value);
    if (/e/i.test(text)) return this.#chance(2) ? text.toUpperCase() : text;
    return text.includes('.') ? text : `${text}${this.#pick(['.', '.0', 'e0'])}`;
  }

  #property({ isSystem, name }: Property): void {
    if (isSystem || this.#chance(4)) {
      this.#keyword(isSystem ? 'sys' : 'user');
      this.#tokens.push('.');
    }
    const cased = isSystem ? this.#recase(name) : name;
    const isRegular = /^\p{L}[\p{L}\p{Nd}_]*$/u.test(name);
    const style = isRegular && !this.#chance(3) ? 'plain' : this.#pick(['brackets', 'quotes']);
    if (style === 'plain') this.#tokens.push(cased);
    else if (style === 'brackets') this.#tokens.push(`[${cased.replaceAll(']', ']]')}]`);
    else this.#tokens.push(`"${cased.replaceAll('"', '""')}"`);
  }

  #bracketed(isBracketed: boolean, write: () => void): void {
    if (isBracketed) this.#tokens.push('(');
    write();
    if (isBracketed) this.#tokens.push(')');
  }

  #keyword(word: string): void {
    this.#tokens.push(this.#recase(word));
  }

  #recase(word: string): string {
    const style = this.#random(4);
    if (style === 0) return word.toLowerCase();
    if (style === 1) return word.toUpperCase();
    return [...word].map((letter) => (this.#chance(2) ? letter.toUpperCase() : letter)).join('');
  }

  #pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.#random(choices.length)] ?? choices[0];
  }

  #chance(oneIn: number): boolean {
    return this.#random(oneIn) === 0;
  }

  #random(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }
}

/** Two words would become one, two signs a comment, and two operators another. */
function mustPart(left: string, right: string): boolean {
  if (/[\p{L}\d_.@]$/u.test(left) && /^[\p{L}\d_.@]/u.test(right)) return true;
  return ['--', '/*', '<=', '<>', '>='].includes(left.slice(-1) + right.slice(0, 1));
}

function levelOfCondition(tree: ConditionTree): number {
  return tree.tag === 'and' || tree.tag === 'or' || tree.tag === 'not' ? LEVEL[tree.tag] : LEVEL.test;
}

function levelOfValue(tree: ValueTree): number {
  if (tree.tag === 'binary')
    return tree.operator === '+' || tree.operator === '-' ? LEVEL.sum : LEVEL.product;
  if (tree.tag === 'unary') return LEVEL.sign;
  const isNegative = tree.tag === 'literal' && (isNegativeInt(tree.value) || isNegativeDouble(tree.value));
  return isNegative ? LEVEL.sign : LEVEL.primary;
}

function isNegativeInt(value: NaiveValue): boolean {
  return value.type === 'int' && value.int < 0n;
}

function isNegativeDouble(value: NaiveValue): boolean {
  return value.type === 'double' && value.double < 0;
}
