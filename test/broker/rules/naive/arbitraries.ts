// Random expressions and messages: few names and values, so that they meet; all kinds, so that they clash.

import fc from 'fast-check';
import type { ConditionTree, NaiveMessage, NaiveValue, Property, ValueTree } from './tree.js';
import { NULL, string } from './values.js';

const int = (value: bigint): NaiveValue => ({ type: 'int', int: value });
const double = (value: number): NaiveValue => ({ type: 'double', double: value });

const INTS = [0n, 1n, 2n, 3n, 5n, -1n, -7n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)].map(int);
const DOUBLES = [0, 0.5, 1, 2, 5, -1.5, 2 ** 53, 1e300, 1e-7].map(double);
const TEXTS = ['', 'a', 'A', 'ab', 'abc', 'b%', '%b_', '!%', '!', '5', '😀', "it's", 'x\ny'].map(string);
const NAMES_AS_TEXTS = ['a', 'B', 'sys.Label', 'SYS.subject', 'user.a', 'User.missing', 'sys.Nope'].map(
  string,
);
const BOOLS: NaiveValue[] = [true, false].map((bool) => ({ type: 'bool', bool }));
const OTHERS: NaiveValue[] = [
  { type: 'uuid', text: '00112233-4455-6677-8899-aabbccddeeff' },
  { type: 'uuid', text: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  { type: 'time', ms: 0 },
  { type: 'time', ms: 1_795_256_044_250 },
];

const text = fc.constantFrom(...TEXTS, ...NAMES_AS_TEXTS);
const literal = fc.constantFrom(...INTS, ...DOUBLES, ...BOOLS, NULL, ...TEXTS, ...TEXTS);
const parameterValue = fc.constantFrom(
  ...INTS,
  ...DOUBLES,
  double(Number.NaN),
  double(Number.NEGATIVE_INFINITY),
  ...BOOLS,
  ...OTHERS,
  ...TEXTS,
);
const held: fc.Arbitrary<NaiveValue> = fc.oneof(
  parameterValue,
  text,
  fc.constantFrom<NaiveValue>(NULL, { type: 'binary' }),
);

const NAMES = ['a', 'A', 'b', 'C', 'Two Words', 'x]y', 'q"t', 'größe', 'missing', 'sys', 'p'] as const;
const SYSTEM_NAMES = ['Label', 'Subject', 'MessageId', 'SequenceNumber', 'To'] as const;
const PARAMETER_NAMES = ['x', 'In', 'z9'] as const;

const property: fc.Arbitrary<Property> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES).map((name) => ({ isSystem: false, name })) },
  { weight: 1, arbitrary: fc.constantFrom(...SYSTEM_NAMES).map((name) => ({ isSystem: true, name })) },
);

export const message: fc.Arbitrary<NaiveMessage> = fc.record({
  system: fc.record(
    { Label: text, MessageId: held, SequenceNumber: fc.constantFrom(...INTS) },
    { requiredKeys: [] },
  ),
  user: fc.uniqueArray(
    fc.tuple(fc.constantFrom('a', 'A', 'B', 'c', 'Two Words', 'x]y', 'q"t', 'GRÖßE', 'sys', 'P'), held),
    { minLength: 4, maxLength: 9, selector: ([name]) => name },
  ),
});

export const parameters = fc.record<Record<string, NaiveValue>>(
  Object.fromEntries(PARAMETER_NAMES.map((name) => [name, parameterValue])),
);

const propertyValue = property.map((one): ValueTree => ({ tag: 'property', property: one }));
const literalValue = literal.map((value): ValueTree => ({ tag: 'literal', value }));
const parameter = fc.constantFrom(...PARAMETER_NAMES).map((name): ValueTree => ({ tag: 'parameter', name }));
const textValue = text.map((value): ValueTree => ({ tag: 'literal', value }));
const newId = fc.constant<ValueTree>({ tag: 'newid' });
/** A name that stands in the expression would be refused if it were wrong; that is for the tables. */
const called = fc
  .oneof(
    propertyValue,
    fc
      .constantFrom('a', 'B', 'missing', 'sys.Label', 'USER.c')
      .map((name): ValueTree => ({ tag: 'literal', value: string(name) })),
  )
  .map((argument): ValueTree => ({ tag: 'property()', argument }));

const isNot = fc.boolean();

export const { condition } = fc.letrec<{ value: ValueTree; condition: ConditionTree }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 4, arbitrary: propertyValue },
    { weight: 4, arbitrary: literalValue },
    { weight: 1, arbitrary: parameter },
    { weight: 1, arbitrary: called },
    {
      weight: 1,
      arbitrary: fc.oneof({ weight: 9, arbitrary: propertyValue }, { weight: 1, arbitrary: newId }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        tag: fc.constant('binary' as const),
        operator: fc.constantFrom('+' as const, '-' as const, '*' as const, '/' as const, '%' as const),
        left: tie('value'),
        right: tie('value'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        tag: fc.constant('unary' as const),
        sign: fc.constantFrom('+' as const, '-' as const),
        of: tie('value'),
      }),
    },
  ),
  condition: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    {
      weight: 5,
      arbitrary: fc.record({
        tag: fc.constant('compare' as const),
        operator: fc.constantFrom(
          '=' as const,
          '<>' as const,
          '!=' as const,
          '<' as const,
          '<=' as const,
          '>' as const,
          '>=' as const,
        ),
        left: tie('value'),
        right: tie('value'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        tag: fc.constant('in' as const),
        of: tie('value'),
        list: fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
        isNot,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        tag: fc.constant('like' as const),
        of: fc.oneof(propertyValue, textValue),
        pattern: fc.oneof(propertyValue, textValue, textValue),
        escapedBy: fc.option(
          fc.oneof(propertyValue, fc.constant<ValueTree>({ tag: 'literal', value: string('!') })),
          { nil: undefined },
        ),
        isNot,
      }),
    },
    { weight: 1, arbitrary: fc.record({ tag: fc.constant('exists' as const), property }) },
    { weight: 1, arbitrary: fc.record({ tag: fc.constant('is null' as const), property, isNot }) },
    { weight: 1, arbitrary: fc.record({ tag: fc.constant('value' as const), of: tie('value') }) },
    {
      weight: 4,
      arbitrary: fc.record({
        tag: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ tag: fc.constant('not' as const), of: tie('condition') }) },
  ),
}));
