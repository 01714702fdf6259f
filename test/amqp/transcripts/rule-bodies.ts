// The bodies with which the SDKs that have a rule manager add a rule; Go and Python have none.

import { type Encoded, int, map, NULL, str } from '../../support/frame-encoder.js';
import { bodyOf } from '../management/management-client.js';
import { writtenByRhea } from '../management/rhea-values.js';
import type { RuleBodies } from './rules.js';

const SQL = 'price > 10';
const ACTION = 'SET a = 1';

/** What is not given is left out of the one, and is a null within the other. */
export const JAVASCRIPT_RULES: RuleBodies = {
  sql: (name) =>
    writtenByRhea({ 'rule-name': name, 'rule-description': { 'sql-filter': { expression: SQL } } }),
  correlation: (name) =>
    writtenByRhea({
      'rule-name': name,
      'rule-description': {
        'correlation-filter': {
          'correlation-id': undefined,
          'message-id': undefined,
          to: undefined,
          'reply-to': undefined,
          label: 'red',
          'session-id': undefined,
          'reply-to-session-id': undefined,
          'content-type': undefined,
          properties: { amount: 2 },
        },
        'sql-rule-action': { expression: ACTION },
      },
    }),
};

/** The name is in it twice, and an action that is not given is a null. */
export const DOTNET_RULES: RuleBodies = rulesNamedTwice([
  'correlation-id',
  'message-id',
  'to',
  'reply-to',
  'label',
  'session-id',
  'reply-to-session-id',
  'content-type',
  'properties',
]);

/** Of a map that has no order. */
export const JAVA_RULES: RuleBodies = rulesNamedTwice([
  'to',
  'reply-to-session-id',
  'content-type',
  'properties',
  'correlation-id',
  'session-id',
  'label',
  'reply-to',
  'message-id',
]);

function rulesNamedTwice(fields: readonly string[]): RuleBodies {
  const given: Readonly<Record<string, Encoded>> = {
    label: str('red'),
    properties: map([[str('amount'), int(2)]]),
  };
  const filter = bodyOf(Object.fromEntries(fields.map((field) => [field, given[field] ?? NULL])));
  const body = (name: string, description: Readonly<Record<string, Encoded>>) =>
    bodyOf({
      'rule-name': str(name),
      'rule-description': bodyOf({ ...description, 'rule-name': str(name) }),
    });
  return {
    sql: (name) => body(name, { 'sql-filter': bodyOf({ expression: str(SQL) }), 'sql-rule-action': NULL }),
    correlation: (name) =>
      body(name, {
        'correlation-filter': filter,
        'sql-rule-action': bodyOf({ expression: str(ACTION) }),
      }),
  };
}
