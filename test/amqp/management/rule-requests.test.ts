// Requests about rules without an emulator: what each SDK's request asks of the broker, and what is told of one that is wrong.

import { describe, expect, it } from 'vitest';
import { addRule, enumerateRules, removeRule } from '../../../src/amqp/management/rule-operations.js';
import type { Command } from '../../../src/broker/contract/command.js';
import type { Action, Filter } from '../../../src/broker/contract/rule-description.js';
import {
  double,
  type Encoded,
  int,
  long,
  map,
  NULL,
  str,
  sym,
  TRUE,
  timestamp,
  uint,
  uuid,
} from '../../support/frame-encoder.js';
import { type Body, bodyOf } from './management-client.js';
import { ask, entityPath } from './operation-under-test.js';
import { rheaInt, writtenByRhea } from './rhea-values.js';

const YEAR_2000 = Date.UTC(2000, 0, 1);

function adding(description: Encoded | undefined, name: Encoded = str('a rule')): Body {
  return { 'rule-name': name, 'rule-description': description };
}

const sql = (expression: Encoded, more: Body = {}) =>
  bodyOf({ 'sql-filter': bodyOf({ expression, ...more }) });

function added(body: Body | Encoded): Command {
  return ask(addRule, body).command;
}

function adds(name: string, filter: Filter, action?: Action): Command {
  return { kind: 'add-rule', entityPath, rule: { name, filter, action } };
}

describe('a request to add a rule becomes its command', () => {
  it('as JavaScript writes it, with an SQL filter [TOP-11]', () => {
    const body = {
      'rule-name': 'sqlRule',
      'rule-description': { 'sql-filter': { expression: 'price > 10' } },
    };
    expect(added(writtenByRhea(body))).toEqual(adds('sqlRule', { kind: 'sql', expression: 'price > 10' }));
  });

  it('as JavaScript writes it, with a correlation filter, numbers as uints, and an action [COR-01, TOP-11]', () => {
    const description = {
      'correlation-filter': {
        'correlation-id': 'c',
        'message-id': 'm',
        to: 't',
        'reply-to': 'r',
        label: 'l',
        'session-id': 's',
        'reply-to-session-id': 'rs',
        'content-type': undefined,
        properties: { key1: 'value1', key2: 2, key3: true, key4: new Date(YEAR_2000), key5: -1.5 },
      },
      'sql-rule-action': { expression: "SET CorrelationId = 'new'" },
    };
    expect(added(writtenByRhea({ 'rule-name': 'correlationRule', 'rule-description': description }))).toEqual(
      adds(
        'correlationRule',
        {
          kind: 'correlation',
          correlationId: 'c',
          messageId: 'm',
          to: 't',
          replyTo: 'r',
          subject: 'l',
          sessionId: 's',
          replyToSessionId: 'rs',
          properties: {
            key1: 'value1',
            key2: { type: 'int', value: '2' },
            key3: true,
            key4: { type: 'timestamp', value: YEAR_2000 },
            key5: { type: 'double', value: '-1.5' },
          },
        },
        { kind: 'sql', expression: "SET CorrelationId = 'new'" },
      ),
    );
  });

  it('as JavaScript writes it, with a filter for one property, all else null [COR-01]', () => {
    const fields = { 'correlation-id': undefined, label: undefined, properties: { color: 'red' } };
    const body = { 'rule-name': 'red', 'rule-description': { 'correlation-filter': fields } };
    expect(added(writtenByRhea(body))).toEqual(
      adds('red', { kind: 'correlation', properties: { color: 'red' } }),
    );
  });

  it('as .NET and Java write it, without an action as a null, and with the name again [TOP-11]', () => {
    const description = bodyOf({
      'sql-filter': bodyOf({ expression: str('1=1') }),
      'sql-rule-action': NULL,
      'rule-name': str('Everything'),
    });
    expect(added(adding(description, str('Everything')))).toEqual(
      adds('Everything', { kind: 'sql', expression: '1=1' }),
    );
  });

  it('as .NET writes it, with all fields of a correlation filter and an empty map of properties [COR-01]', () => {
    const names = ['correlation-id', 'message-id', 'to', 'reply-to', 'session-id', 'reply-to-session-id'];
    const fields = bodyOf({
      ...Object.fromEntries(names.map((name) => [name, NULL])),
      label: str('red'),
      'content-type': str(''),
      properties: map([]),
    });
    expect(added(adding(bodyOf({ 'correlation-filter': fields, 'sql-rule-action': map([]) })))).toEqual(
      adds('a rule', { kind: 'correlation', subject: 'red', contentType: '', properties: {} }),
    );
  });

  it('with the types of .NET and Java for properties, kept apart from one another [COR-01]', () => {
    const id = '00112233445566778899aabbccddeeff';
    const properties = map([
      [str('int'), int(1)],
      [str('long'), long(1)],
      [str('double'), double(1)],
      [str('guid'), uuid(Buffer.from(id, 'hex'))],
      [sym('symbol'), sym('s')],
      [str('__proto__'), TRUE],
    ]);
    const command = added(adding(bodyOf({ 'correlation-filter': bodyOf({ properties }) })));
    expect(JSON.stringify(command.kind === 'add-rule' && command.rule.filter)).toBe(
      JSON.stringify({
        kind: 'correlation',
        properties: {
          int: { type: 'int', value: '1' },
          long: { type: 'long', value: '1' },
          double: { type: 'double', value: '1' },
          guid: { type: 'uuid', value: id },
          symbol: 's',
          ['__proto__']: true,
        },
      }),
    );
  });

  it('with parameters of the filter and of the action [SQL-20]', () => {
    const parameters = map([
      [str('@limit'), long(2n ** 62n)],
      [str('@at'), timestamp(YEAR_2000)],
    ]);
    const filter = bodyOf({ expression: str('a > @limit'), parameters });
    const action = bodyOf({ expression: str('SET a = @one'), parameters: map([[str('@one'), int(1)]]) });
    expect(added(adding(bodyOf({ 'sql-filter': filter, 'sql-rule-action': action })))).toEqual(
      adds(
        'a rule',
        {
          kind: 'sql',
          expression: 'a > @limit',
          parameters: {
            '@limit': { type: 'long', value: String(2n ** 62n) },
            '@at': { type: 'timestamp', value: YEAR_2000 },
          },
        },
        { kind: 'sql', expression: 'SET a = @one', parameters: { '@one': { type: 'int', value: '1' } } },
      ),
    );
  });

  it('and so do requests to remove and to list rules', () => {
    expect(ask(removeRule, { 'rule-name': str('$Default') }).command).toEqual({
      kind: 'remove-rule',
      entityPath,
      name: '$Default',
    });
    const all = writtenByRhea({ top: rheaInt(2_147_483_647), skip: rheaInt(0) });
    expect(ask(enumerateRules, all).command).toEqual({
      kind: 'list-rules',
      entityPath,
      skip: 0,
      maxCount: 2_147_483_647,
    });
    expect(ask(enumerateRules, { top: uint(100), skip: long(200) }).command).toMatchObject({
      skip: 200,
      maxCount: 100,
    });
  });
});

describe('a request about rules is refused with a reason', () => {
  const PLACE = 'rule-description.correlation-filter';
  it.each<[string, Body, string]>([
    ['no name', adding(sql(str('1=1')), NULL), "'rule-name' of the request is null; it must be a string."],
    ['a number as name', adding(sql(str('1=1')), int(1)), "'rule-name' of the request is int 1; it must be"],
    ['no description', adding(undefined), "'rule-description' of the request is missing; it must be a map."],
    ['a text as description', adding(str('1=1')), `'rule-description' of the request is string "1=1"; it`],
    ['no filter', adding(map([])), "has neither of 'sql-filter' and 'correlation-filter'; it must have one"],
    [
      'two filters',
      adding(bodyOf({ 'sql-filter': map([]), 'correlation-filter': map([]) })),
      "has both of 'sql-filter' and 'correlation-filter'; it must have one of them.",
    ],
    [
      'a filter that is a text',
      adding(bodyOf({ 'sql-filter': str('1=1') })),
      `'rule-description.sql-filter' of the request is string "1=1"; it must be a map.`,
    ],
    [
      'a filter without expression',
      adding(bodyOf({ 'sql-filter': map([]) })),
      "'rule-description.sql-filter.expression' of the request is missing; it must be a string.",
    ],
    [
      'an expression that is a number',
      adding(sql(int(1))),
      "'rule-description.sql-filter.expression' of the request is int 1; it must be a string, or left out.",
    ],
    [
      'a parameter that is null',
      adding(sql(str('a = @a'), { parameters: map([[str('@a'), NULL]]) })),
      "'rule-description.sql-filter.parameters.@a' of the request is null; it must be a string, a boolean,",
    ],
    [
      'a number for a field that is a text',
      adding(bodyOf({ 'correlation-filter': bodyOf({ 'message-id': uint(5) }) })),
      `'${PLACE}.message-id' of the request is uint 5; it must be a string, or left out.`,
    ],
    [
      'a property that no rule compares',
      adding(bodyOf({ 'correlation-filter': bodyOf({ properties: map([[str('tags'), map([])]]) }) })),
      `'${PLACE}.properties.tags' of the request is a map of 0; it must be a string, a boolean, a number, a`,
    ],
    [
      'a property whose name is no text',
      adding(bodyOf({ 'correlation-filter': bodyOf({ properties: map([[int(1), TRUE]]) }) })),
      `'${PLACE}.properties' of the request is a map of 1; it must be a map with string keys.`,
    ],
    [
      'an action that is a text',
      adding(bodyOf({ 'sql-filter': bodyOf({ expression: str('1=1') }), 'sql-rule-action': str('SET a=1') })),
      `'rule-description.sql-rule-action' of the request is string "SET a=1"; it must be a map.`,
    ],
  ])('%s', (_, body, text) => {
    expect(() => added(body)).toThrow(text);
  });

  it.each<[Body, string]>([
    [{ top: int(1) }, "The field 'skip' of the request is missing; it must be an int of 0 or more."],
    [{ top: int(1), skip: int(-1) }, "The field 'skip' of the request is int -1; it must be 0 or more."],
    [{ top: int(0), skip: int(0) }, "The field 'top' of the request is int 0; it must be 1 or more."],
    [{ top: str('all'), skip: int(0) }, `The field 'top' of the request is string "all"; it must be an int`],
  ])('%#, an invalid page', (body, text) => {
    expect(() => ask(enumerateRules, body)).toThrow(text);
  });
});
