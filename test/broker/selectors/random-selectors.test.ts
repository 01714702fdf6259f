// Random pairs of selector and message against an evaluator written from the words of JMS, and broken texts.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ServiceBusError } from '../../../src/broker/contract/service-bus-error.js';
import { ViewedBySelector } from '../../../src/broker/rules/selectable-message.js';
import { compileSelector } from '../../../src/broker/selectors/compile-selector.js';
import { countFor } from '../../support/thorough.js';
import { RuleMessage } from '../rules/rule-message.js';
import { judge, type Properties, properties, selector, truth, write } from './naive-selector.js';

const MAX_LENGTH = 1024;
const LITERAL = String.raw`\((?:'(?:[^']|'')*'|true|false|null|[\d.e+-]+)\)`;
/** Two literals that have no order are refused. */
const TWO_LITERALS = new RegExp(`${LITERAL} (?:<|<=|>|>=) ${LITERAL}`);

function seen(message: Properties): ViewedBySelector {
  return new ViewedBySelector(new RuleMessage({ user: message }));
}

it('random selectors are of random messages what JMS says [JMS-83, JMS-87, JMS-88]', () => {
  const counts = { true: 0, false: 0, null: 0 };
  fc.assert(
    fc.property(selector, properties, (tree, message) => {
      const text = write(tree);
      fc.pre(text.length <= MAX_LENGTH && !TWO_LITERALS.test(text));
      const expected = truth(judge(tree, message));
      const found = compileSelector(text).test(seen(message)) ?? null;
      if (found !== expected) throw new Error(`${text} is ${found}, and must be ${expected}`);
      counts[`${expected}`] += 1;
    }),
    { numRuns: countFor(3000, 60_000) },
  );
  // Else the selectors say too little.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(100);
});

const CHARACTERS = [
  ...'aN1.\'"()<>=+-*/%,_$ \n',
  ' AND ',
  ' NOT ',
  ' LIKE ',
  ' IN ',
  ' IS NULL',
  '--',
  '/*',
  '0x',
  'é',
  '😀',
];

it('any text is compiled or refused with its place, and what is compiled can be evaluated [JMS-85]', () => {
  const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 20 }).map((parts) => parts.join(''));
  const spoiled = fc.tuple(selector.map(write), fc.nat(), text).map(([good, at, junk]) => {
    const place = at % (good.length + 1);
    return good.slice(0, place) + junk + good.slice(place);
  });
  const message = seen({ a: 1n, flag: true });
  fc.assert(
    fc.property(fc.oneof(text, spoiled), (given) => {
      try {
        compileSelector(given).test(message);
      } catch (error) {
        if (!(error instanceof ServiceBusError)) throw error;
        expect(error.message).toMatch(/^The selector is invalid at line \d+, column \d+: /);
        expect(error.data.property).toBe('selector');
      }
    }),
    { numRuns: countFor(3000, 60_000) },
  );
});
