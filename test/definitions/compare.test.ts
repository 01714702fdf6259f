// The list of differences between two namespaces.

import { expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { DEFAULT_RULE, type RuleDescription } from '../../src/broker/contract/rule-description.js';
import type { Entities } from '../../src/config/configured-entities.js';
import { compareDefinitions } from '../../src/definitions/compare.js';

const names = { a: 'a.json', b: 'b.json' };

function topic(name: string, rules: readonly RuleDescription[] | undefined): Entities['topics'][number] {
  return {
    description: describeTopic(name),
    subscriptions: [{ description: describeSubscription('s'), rules }],
  };
}

test('properties that differ are listed by entity', () => {
  const a = { queues: [describeQueue('q', { lockDurationMs: 5000, forwardTo: 'Other' })], topics: [] };
  const b = { queues: [describeQueue('q', { forwardTo: 'other', userMetadata: 'x' })], topics: [] };
  expect(compareDefinitions(a, b, names)).toEqual([
    'queue q: lockDuration is PT5S in a.json, and PT1M in b.json',
    'queue q: userMetadata is not set in a.json, and x in b.json',
  ]);
});

test('an entity that only one has is listed without all that belongs to it', () => {
  const a = { queues: [describeQueue('q')], topics: [topic('t', undefined)] };
  const b = {
    queues: [],
    topics: [topic('t', [{ name: 'r', filter: { kind: 'true' }, action: undefined }]), topic('u', [])],
  };
  expect(compareDefinitions(a, b, names)).toEqual([
    'queue q is only in a.json',
    'rule t/s/$Default is only in a.json',
    'rule t/s/r is only in b.json',
    'topic u is only in b.json',
  ]);
});

test('rules are compared by what they mean', () => {
  const filterIs = (filter: RuleDescription['filter']) => ({
    queues: [],
    topics: [topic('t', [{ ...DEFAULT_RULE, filter }])],
  });
  const everything = filterIs({ kind: 'sql', expression: '1=1' });
  expect(compareDefinitions(everything, { queues: [], topics: [topic('t', undefined)] }, names)).toEqual([]);
  const correlation = filterIs({ kind: 'correlation', properties: { a: 'x', b: 'y' }, subject: 's' });
  const turned = filterIs({ kind: 'correlation', subject: 's', properties: { b: 'y', a: 'x' } });
  expect(compareDefinitions(correlation, turned, names)).toEqual([]);
  expect(compareDefinitions(everything, filterIs({ kind: 'sql', expression: "a = 'b'" }), names)).toEqual([
    'rule t/s/$Default: filter is true in a.json, and "a = \'b\'" in b.json',
  ]);
});
