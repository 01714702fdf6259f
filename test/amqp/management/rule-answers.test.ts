// Answers about rules without an emulator: the exact types in which SDKs take them apart.

import { describe, expect, it } from 'vitest';
import { addRule, enumerateRules, removeRule } from '../../../src/amqp/management/rule-operations.js';
import type { RuleRecord } from '../../../src/broker/contract/event.js';
import type { Action, Filter } from '../../../src/broker/contract/rule-description.js';
import { int, str } from '../../support/frame-encoder.js';
import { type Body, bodyOf } from './management-client.js';
import { respond, written } from './operation-under-test.js';
import { bodyReadByRhea } from './rhea-values.js';

const CREATED = Date.UTC(2026, 0, 1);
const YEAR_2000 = Date.UTC(2000, 0, 1);
const PAGE: Body = { top: int(100), skip: int(0) };

function record(filter: Filter, action?: Action): RuleRecord {
  return { description: { name: 'a rule', filter, action }, createdTime: CREATED };
}

function listed(...rules: readonly RuleRecord[]): string {
  return written(enumerateRules, PAGE, { kind: 'rules', rules });
}

/** A listed rule with these for its filter and its action. */
function ruleIn(filter: string, action = 'ulong 1335734829061[]'): string {
  return `{"rule-description": ulong 1335734829060[${filter}, ${action}, "a rule", timestamp ${CREATED}]}`;
}

const ALL_FIELDS: Filter = {
  kind: 'correlation',
  contentType: 'ct',
  correlationId: 'c',
  messageId: 'm',
  properties: { b: true, a: { type: 'long', value: '5' }, d: { type: 'timestamp', value: YEAR_2000 } },
  replyTo: 'r',
  replyToSessionId: 'rs',
  sessionId: 's',
  subject: 'l',
  to: 't',
};

describe('rules are listed as described lists, their descriptors ulongs in the two families of the service', () => {
  it.each<[string, Filter, string]>([
    ['a true filter', { kind: 'true' }, 'ulong 83483426823[]'],
    ['a false filter', { kind: 'false' }, 'ulong 83483426824[]'],
    ['an SQL filter', { kind: 'sql', expression: 'a = 1' }, 'ulong 83483426822["a = 1", int 20]'],
    [
      'a selector [JMS-18]',
      { kind: 'selector', expression: 'a BETWEEN 1 AND 2' },
      'ulong 83483426822["a BETWEEN 1 AND 2", int 20]',
    ],
    [
      'a correlation filter of all fields',
      ALL_FIELDS,
      `ulong 83483426825["c", "m", "t", "r", "l", "s", "rs", "ct", {"b": true, "a": long 5, "d": timestamp ${YEAR_2000}}]`,
    ],
    [
      'a correlation filter of one field, whose properties are a map all the same',
      { kind: 'correlation', subject: '' },
      'ulong 83483426825[null, null, null, null, "", null, null, null, {}]',
    ],
  ])('%s', (_, filter, described) => {
    expect(listed(record(filter))).toBe(`200 absent {"rules": [${ruleIn(described)}]}`);
  });

  it('an action, beside a filter', () => {
    const rule = record({ kind: 'true' }, { kind: 'sql', expression: 'REMOVE a' });
    const described = ruleIn('ulong 83483426823[]', 'ulong 1335734829062["REMOVE a", int 20]');
    expect(listed(rule)).toBe(`200 absent {"rules": [${described}]}`);
  });

  it('many, in a list and in the order they came in', () => {
    const rules = Array.from({ length: 300 }, (_, index) =>
      record({ kind: 'sql', expression: `a = ${index}` }),
    );
    const described = rules.map((_, index) => ruleIn(`ulong 83483426822["a = ${index}", int 20]`));
    expect(listed(...rules)).toBe(`200 absent {"rules": [${described.join(', ')}]}`);
  });

  it('past the last page: no content and no error', () => {
    expect(listed()).toBe('204 absent {}');
  });

  it('in the form that the JavaScript SDK reads', () => {
    const rule = record(ALL_FIELDS, { kind: 'sql', expression: 'REMOVE a' });
    const response = respond(enumerateRules, PAGE, { kind: 'rules', rules: [rule] });
    const body = bodyReadByRhea(Buffer.concat(response.sections.map(({ bytes }) => bytes)));
    expect(body).toMatchObject({
      rules: [
        {
          'rule-description': {
            descriptor: { value: 1_335_734_829_060 },
            value: [
              {
                descriptor: { value: 83_483_426_825 },
                value: [...'cmtrls']
                  .map((value) => ({ value }))
                  .concat(
                    [{ value: 'rs' }, { value: 'ct' }],
                    [
                      {
                        value: ['b', true, 'a', 5, 'd', new Date(YEAR_2000)].map((value) => ({ value })),
                      } as never,
                    ],
                  ),
              },
              { descriptor: { value: 1_335_734_829_062 }, value: [{ value: 'REMOVE a' }, { value: 20 }] },
              { value: 'a rule' },
              { value: new Date(CREATED) },
            ],
          },
        },
      ],
    });
  });
});

describe('the answer', () => {
  it('to adding and to removing a rule is an empty success', () => {
    const description = bodyOf({ 'sql-filter': bodyOf({ expression: str('1=1') }) });
    const body = { 'rule-name': str('a rule'), 'rule-description': description };
    expect(written(addRule, body, { kind: 'done' })).toBe('200 absent {}');
    expect(written(removeRule, body, { kind: 'done' })).toBe('200 absent {}');
  });
});
