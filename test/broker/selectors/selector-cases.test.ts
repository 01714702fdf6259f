// Selectors by tables: what each is of one message, or where it is refused.

import { expect, it } from 'vitest';
import { ServiceBusError } from '../../../src/broker/contract/service-bus-error.js';
import { ViewedBySelector } from '../../../src/broker/rules/selectable-message.js';
import { compileSelector } from '../../../src/broker/selectors/compile-selector.js';
import { explainSelector } from '../../../src/broker/selectors/explain-selector.js';
import { binary, decimal, RuleMessage, timestamp, uuid } from '../rules/rule-message.js';

const MESSAGE = new ViewedBySelector(
  new RuleMessage({
    system: { Label: 'order', SessionId: 'g-1', DeliveryCount: 2n },
    headers: {
      messageId: 'ID:m-1',
      correlationId: 'c-1',
      userId: 'ann',
      durable: true,
      priority: 7n,
      creationTime: timestamp(1000),
      groupSequence: 3n,
    },
    user: {
      color: 'blue',
      Color: 'red',
      n: 5n,
      zero: 0n,
      big: 2n ** 63n - 1n,
      ulong: 2n ** 64n - 1n,
      price: 2.5,
      nan: Number.NaN,
      yes: true,
      no: false,
      nothing: null,
      code: '5',
      percent: '50% off_now',
      at: timestamp(250),
      id: uuid(),
      bytes: binary,
      amount: decimal(125n, -1),
      'two words': 2n,
      'quo"te': 'q',
      größe: 'XL',
      $a_1: 1n,
      JMS_custom: 'mine',
      JMSReplyTo: 'forged',
      JMSType: 'forged',
    },
  }),
);

type Outcome = boolean | 'unknown';

const CASES: Readonly<Record<string, readonly (readonly [selector: string, outcome: Outcome])[]>> = {
  'names and literals [JMS-85]': [
    ["color = 'blue'", true],
    ["Color = 'red'", true],
    ["COLOR = 'blue'", 'unknown'],
    ['"two words" = 2', true],
    ['"quo""te" = \'q\'', true],
    ["größe = 'XL'", true],
    ['$a_1 = 1', true],
    ["JMS_custom = 'mine'", true],
    ["'it''s' = 'it''s'", true],
    ['n = 5L', true],
    ['n = 0x5', true],
    ['n = 0X05', true],
    ['8 = 010', true],
    ['0 = 00', true],
    ['n = 5.', true],
    ['price = 2.5', true],
    ['.5 + 2 = price', true],
    ['25e-1 = price', true],
    ['1E3 = 1000', true],
    ['big = 9223372036854775807', true],
    ['big + 1 = -9223372036854775808', true],
    ['yes = TRUE and no = false', true],
    ['n -- the number\n = /* not ** six */ 5', true],
    ['n = 5 -- at the end', true],
  ],
  'conditions, from left to right [JMS-87, JMS-88]': [
    ['yes', true],
    ['no', false],
    ['n', 'unknown'],
    ['missing', 'unknown'],
    ['TRUE', true],
    ['NULL', 'unknown'],
    ['NOT n = 1', true],
    ['not yes and no', false],
    ['NOT (yes AND missing)', 'unknown'],
    ['NOT NOT yes', true],
    ['yes = NOT no', true],
    ['(n > 1) = TRUE', true],
    ['n = 5 = yes', true],
    ['yes OR missing', true],
    ['no OR missing', 'unknown'],
    ['no AND missing', false],
    ['yes AND missing', 'unknown'],
    ['no OR yes AND no', false],
    ['(no OR yes) AND yes', true],
  ],
  'comparisons [JMS-88]': [
    ['n < 6 AND n <= 5 AND n > 4 AND n >= 5', true],
    ['n <> 5', false],
    ['n = 5.0', true],
    ['price > n', false],
    ['ulong > big', true],
    ["n = '5'", false],
    ["n <> '5'", false],
    ["NOT n = '5'", true],
    ['yes <> n', false],
    ["color > 'a'", false],
    ["NOT color > 'a'", true],
    ['yes > no', false],
    ["color <> 'red'", true],
    ['nan = nan', false],
    ['nan <> nan', true],
    ['missing = missing', 'unknown'],
    ['nothing <> 1', 'unknown'],
    ['n = NULL', 'unknown'],
    ['at = 250', true],
    ['id = 1', 'unknown'],
    ["bytes = 'x'", 'unknown'],
    ['amount > 1', 'unknown'],
    ['1 < 2', true],
  ],
  'arithmetic [JMS-83, JMS-88]': [
    ['n + 2 * 3 = 11', true],
    ['(n + 2) * 3 = 21', true],
    ['7 / 2 = 3 AND -7 / 2 = -3', true],
    ['7 % 4 = 3', true],
    ['7 / 2. = 3.5', true],
    ['n / zero = 1', 'unknown'],
    ['n % zero = 1', 'unknown'],
    ['n / 0. > 1', true],
    ['-n = -5 AND + n = 5 AND - -n = 5', true],
    ["color + 'x' = 'bluex'", 'unknown'],
    ['code + 1 = 6', 'unknown'],
    ['missing + 1 = 1', 'unknown'],
    ['n - -1 = 6', true],
  ],
  'tests [JMS-85, JMS-88]': [
    ['n BETWEEN 5 AND 6', true],
    ['n NOT BETWEEN 5 AND 6', false],
    ['n BETWEEN 6 AND 9', false],
    ['missing BETWEEN 1 AND 2', 'unknown'],
    ['n BETWEEN missing AND 2', false],
    ['n NOT BETWEEN missing AND 4', true],
    ['color BETWEEN 1 AND 2', false],
    ['color NOT BETWEEN 1 AND 2', false],
    ['n BETWEEN 1 AND 2 + 3 AND yes', true],
    ["color IN ('red', 'blue')", true],
    ["color NOT IN ('red')", true],
    ["n IN ('5')", 'unknown'],
    ["n NOT IN ('5')", 'unknown'],
    ["missing IN ('5')", 'unknown'],
    ["color LIKE 'b_u%'", true],
    ["color NOT LIKE 'b%'", false],
    ["percent LIKE '50!% off!_now' ESCAPE '!'", true],
    ["percent LIKE '%!' ESCAPE '!'", false],
    ["n LIKE '5'", false],
    ["n NOT LIKE '5'", true],
    ["missing LIKE '5'", 'unknown'],
    ['missing IS NULL', true],
    ['nothing IS NULL', true],
    ['n IS NULL', false],
    ['n IS NOT NULL', true],
    ['bytes IS NULL', true],
    ['(n / zero) IS NULL', true],
  ],
  'headers [JMS-84]': [
    ["JMSMessageID = 'ID:m-1'", true],
    ["JMSCorrelationID = 'c-1'", true],
    ["JMSType = 'order'", true],
    ["JMSXGroupID = 'g-1' AND JMSXGroupSeq = 3", true],
    ["JMSXUserID = 'ann'", true],
    ['JMSPriority = 7', true],
    ['JMSTimestamp = 1000', true],
    ["JMSDeliveryMode = 'PERSISTENT'", true],
    ['JMSXDeliveryCount = 3', true],
    ['JMSReplyTo IS NULL AND JMSDestination IS NULL AND JMSExpiration IS NULL', true],
    ['JMSRedelivered IS NULL AND JMSDeliveryTime IS NULL', true],
  ],
};

for (const [title, cases] of Object.entries(CASES)) {
  it.each(cases)(`${title}: %s is %s`, (selector, outcome) => {
    expect(compileSelector(selector).test(MESSAGE)).toBe(outcome === 'unknown' ? undefined : outcome);
  });
}

it.each([
  ['n = ', 'line 1, column 5: found the end, expected a name or a value'],
  ['n = 5 5', "line 1, column 7: found '5', expected an operator or the end"],
  ['n =\n= 5', "line 2, column 1: found '=', expected a name or a value"],
  ['(n = 5', "line 1, column 7: found the end, expected an operator or ')'"],
  ["color LIKE 'a' ESCAPE 'ab'", 'line 1, column 23: what stands behind ESCAPE is not one character'],
  ["color LIKE 'a' ESCAPE", "column 22: found the end, expected a text in single quotes, such as 'red'"],
  ['color LIKE n', "column 12: found 'n', expected a text in single quotes, such as 'red'"],
  ['n IN (1)', "column 7: found '1', expected a text in single quotes, such as 'red'"],
  ['n BETWEEN 1 OR 2', "column 13: found 'OR', expected AND and the upper bound of BETWEEN"],
  ['n NOT 5', "column 7: found '5', expected LIKE, BETWEEN or IN"],
  ['n IS 5', "column 6: found '5', expected NULL or NOT NULL"],
  ['5', 'column 1: found the value 5, expected a condition'],
  ["yes AND 'text'", "column 9: found the value 'text', expected a condition"],
  ['n + 1', 'column 1: found the value n + 1, expected a condition'],
  ["'a' < 'b'", 'column 5: only numbers can be compared by <'],
  ['9223372036854775808 = n', 'column 1: the integer 9223372036854775808 does not fit into 64 bits'],
  ['0xFFFFFFFFFFFFFFFF = n', 'column 1: the integer 0xFFFFFFFFFFFFFFFF does not fit into 64 bits'],
  ['n = 089', "column 6: found '89' right behind the number 0"],
  ['n = 5x', "column 6: found 'x' right behind the number 5"],
  ['n = 1e999', 'column 5: the number 1e999 is too large for a double'],
  ["color = 'blue", "column 9: the ' is never closed, expected '"],
  ['n = 5 /* and', 'column 7: the comment is never closed, expected */'],
  ['n != 5', "column 3: found '!', expected a name, a value or an operator"],
  ['n = @p', "column 5: found '@', expected a name, a value or an operator"],
])('%s is refused, and the error names place and expectation [JMS-85, JMS-88]', (selector, text) => {
  expect(() => compileSelector(selector)).toThrow(ServiceBusError);
  expect(() => compileSelector(selector)).toThrow(text);
});

it('a selector has at most 1,024 characters and 64 levels of nesting [JMS-86, LIM-12]', () => {
  const padded = (length: number) => 'yes'.padEnd(length);
  expect(compileSelector(padded(1024)).test(MESSAGE)).toBe(true);
  expect(() => compileSelector(padded(1025))).toThrow(
    'the expression has 1025 characters; the most are 1024',
  );
  const nested = (depth: number) => `${'('.repeat(depth)}yes${')'.repeat(depth)}`;
  expect(compileSelector(nested(64)).test(MESSAGE)).toBe(true);
  expect(() => compileSelector(nested(65))).toThrow('nested deeper than 64 levels');
  expect(compileSelector(`yes${' = yes'.repeat(170)}`).test(MESSAGE)).toBe(true);
});

it('a selector is explained part by part, with the values that it saw [JMS-18]', () => {
  expect(explainSelector("n > 9 AND color = 'x' OR NOT (color LIKE 'r%')", MESSAGE)).toEqual({
    text: "n > 9 AND color = 'x' OR NOT (color LIKE 'r%')",
    outcome: 'true',
    because: '',
    parts: [
      {
        text: "n > 9 AND color = 'x'",
        outcome: 'false',
        because: '',
        parts: [
          { text: 'n > 9', outcome: 'false', because: 'n is 5', parts: [] },
          { text: "color = 'x'", outcome: 'skipped', because: '', parts: [] },
        ],
      },
      {
        text: "NOT (color LIKE 'r%')",
        outcome: 'true',
        because: '',
        parts: [{ text: "(color LIKE 'r%')", outcome: 'false', because: "color is 'blue'", parts: [] }],
      },
    ],
  });
});

it('the cost of an evaluation is counted, LIKE by the text that it looks through', () => {
  const effort = { characters: 0 };
  const selector = "percent LIKE '%x%'";
  compileSelector(selector, effort).test(MESSAGE);
  expect(effort.characters).toBe(selector.length + '50% off_now'.length);
});
