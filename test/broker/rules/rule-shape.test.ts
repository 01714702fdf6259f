// Rules that are not made as their type says are refused, before they are stored where nobody could read them.

import { describe, expect, it } from 'vitest';
import type { RuleDescription } from '../../../src/broker/contract/rule-description.js';
import { RuleCompiler } from '../../../src/broker/rules/rule-compiler.js';

const compiler = new RuleCompiler({ nextGuid: () => '0'.repeat(32) });

function compile(filter: unknown, action?: unknown) {
  return compiler.rule({ name: 'r', filter, action } as RuleDescription);
}

describe('a rule', () => {
  it.each<unknown>([
    undefined,
    'a = 1',
    { kind: 'other' },
    { kind: 'true', more: 1 },
    { kind: 'correlation', subject: 5 },
    { kind: 'correlation', subject: 'x', tpyo: 'y' },
    { kind: 'correlation', properties: { a: 5 } },
    { kind: 'correlation', properties: ['x'] },
    { kind: 'correlation', properties: { a: { type: 'timestamp', value: Number.NaN } } },
    { kind: 'correlation', properties: { a: { type: 'timestamp', value: 0, text: 0 } } },
    { kind: 'correlation', properties: { a: { type: 'long', value: '0', text: '0' } } },
    { kind: 'sql' },
    { kind: 'sql', expression: '1 = 1', parameters: { '@p': null } },
    { kind: 'sql', expression: '1 = 1', param: 1 },
  ])('cannot have the filter %j [COR-01, SQL-20]', (filter) => {
    expect(() => compile(filter)).toThrow("The rule 'r' cannot be");
  });

  it('cannot have an action of another kind [ACT-07]', () => {
    expect(() => compile({ kind: 'true' }, { kind: 'sql', expression: 5 })).toThrow('it lacks SQL');
  });

  it.each<unknown>([
    { kind: 'correlation', subject: 'x', properties: { a: true, b: { type: 'timestamp', value: -5 } } },
    { kind: 'sql', expression: 'a = @p', parameters: { '@p': { type: 'long', value: '5' } } },
    {
      kind: 'sql',
      expression: 'a = @p',
      parameters: { '@p': { type: 'timestamp', value: 0, text: '1970' } },
    },
  ])('can have the filter %j [COR-01, SQL-20]', (filter) => {
    expect(compile(filter, { kind: 'sql', expression: 'SET a = 1' }).name).toBe('r');
  });
});
