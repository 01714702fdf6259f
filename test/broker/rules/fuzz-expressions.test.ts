// Garbage and spoilt expressions: each is read or refused with its place, none is too much, none crashes.

import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ServiceBusError } from '../../../src/broker/contract/service-bus-error.js';
import { compileAction } from '../../../src/broker/rules/compile-action.js';
import { compileFilter } from '../../../src/broker/rules/compile-filter.js';
import { RuleEvaluationError } from '../../../src/broker/rules/rule-value.js';
import { countFor } from '../../support/thorough.js';
import { MESSAGE, PARAMETERS } from './case-message.js';
import { condition } from './naive/arbitraries.js';
import { Printer } from './naive/printer.js';
import { countingGuids, RuleMessage } from './rule-message.js';
import { CONDITION_CASES } from './sql-condition-cases.js';
import { VALUE_CASES } from './sql-value-cases.js';

const INPUTS = countFor(500, 10_000);

const WORDS = [
  ...[
    'AND',
    'or',
    'NOT ',
    ' IN ',
    'LIKE',
    'ESCAPE',
    ' is ',
    'NULL',
    'EXISTS(',
    'TRUE',
    'SET ',
    'REMOVE ',
    'newid()',
  ],
  ...[
    'property(',
    'sys.',
    'user.',
    'Label',
    'color',
    'quantity',
    "'",
    "''",
    '"',
    '[',
    ']',
    '(',
    ')',
    ',',
    ';',
    '.',
    '@',
  ],
  ...[
    '@text',
    '0',
    '1',
    '9223372036854775808',
    '1e9',
    '+',
    '-',
    '*',
    '/',
    '%',
    '=',
    '<>',
    '!=',
    '<',
    '>=',
    ' ',
    '\n',
  ],
];

const written = Object.values({ ...VALUE_CASES, ...CONDITION_CASES }).flatMap((cases) =>
  cases.map(([one]) => one),
);

const results = { read: 0, refused: 0, failed: 0 };

afterAll(() => console.log(`fuzzed expressions: ${JSON.stringify(results)}`));

describe('a fuzzed expression is read, or refused with line and column [SQL-23]', () => {
  it('made of random bytes [SQL-23]', () => {
    fuzz(fc.uint8Array({ maxLength: 200 }).map((bytes) => String.fromCharCode(...bytes)));
  });

  it('made of random characters [SQL-23]', () => {
    fuzz(fc.string({ unit: 'binary', maxLength: 100 }));
  });

  it('made of words of the language [SQL-23]', () => {
    fuzz(fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join('')));
  });

  it('made by spoiling a good one [SQL-23]', () => {
    const printed = fc.tuple(condition, fc.nat()).map(([tree, style]) => new Printer(style).print(tree));
    const good = fc.oneof(fc.constantFrom(...written), printed);
    fuzz(fc.tuple(good, good, fc.nat(), fc.nat(9), fc.constantFrom(...WORDS), fc.nat(5)).map(spoil));
  });

  it('made of one word over and over [SQL-23]', () => {
    const repeated = fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS), fc.nat(1100));
    fuzz(
      repeated.map(([one, other, length]) => (one + other).repeat(length).slice(0, length)),
      INPUTS / 10,
    );
  });
});

it('the fuzzer makes many expressions that are read, and many that are refused [SQL-23]', () => {
  expect(results.read).toBeGreaterThan(INPUTS / 50);
  expect(results.refused).toBeGreaterThan(INPUTS / 2);
  expect(results.failed).toBeGreaterThan(0);
});

/** Something is cut out, put in, doubled, or goes on as another one. */
function spoil([good, other, at, length, word, how]: [
  string,
  string,
  number,
  number,
  string,
  number,
]): string {
  const start = at % (good.length + 1);
  const [before, behind] = [good.slice(0, start), good.slice(start)];
  if (how === 0) return before;
  if (how === 1) return before + behind.slice(length);
  if (how === 2) return before + word + behind;
  if (how === 3) return before + word + behind.slice(length);
  if (how === 4) return before + behind.slice(0, length) + behind;
  return before + other.slice(at % (other.length + 1));
}

function fuzz(expressions: fc.Arbitrary<string>, numRuns = INPUTS): void {
  fc.assert(
    fc.property(expressions, (expression) => {
      const sql = { kind: 'sql', expression, parameters: PARAMETERS } as const;
      const environment = { nextGuid: countingGuids() };
      attempt(expression, () => {
        const filter = compileFilter(sql, environment);
        return () => filter.evaluate(new RuleMessage(MESSAGE));
      });
      attempt(expression, () => {
        const action = compileAction(sql, environment);
        return () => action.apply(new RuleMessage(MESSAGE));
      });
    }),
    { numRuns },
  );
}

function attempt(expression: string, compile: () => () => void): void {
  let run: () => void;
  try {
    run = compile();
    results.read++;
  } catch (error) {
    results.refused++;
    expectPlace(expression, error);
    return;
  }
  try {
    run();
  } catch (error) {
    results.failed++;
    expect(error).toBeInstanceOf(RuleEvaluationError);
  }
}

function expectPlace(expression: string, error: unknown): void {
  if (!(error instanceof ServiceBusError)) throw error;
  expect(error.reason).toBe('argument');
  const [, line, column] = /is invalid at line (\d+), column (\d+): .+/s.exec(error.message) ?? [];
  const lines = expression.split(/\r\n|\r|\n/);
  expect(Number(line)).toBeGreaterThanOrEqual(1);
  expect(Number(line)).toBeLessThanOrEqual(lines.length);
  expect(Number(column)).toBeGreaterThanOrEqual(1);
  expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1]?.length ?? 0) + 1);
}
