// Bicep says the same as the ARM template, field by field. Its compiler is not at hand: a small reader stands in for it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { writeDefinitions } from '../../src/definitions/write-definitions.js';
import { countFor } from '../support/thorough.js';
import { readBicep } from './bicep-reader.js';
import { namespaces } from './namespaces.js';

type ArmResource = {
  readonly type: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly dependsOn?: readonly string[];
  readonly properties?: object;
};

const NAMESPACE = 'Microsoft.ServiceBus/namespaces';

/** `['orders']` of "[concat(parameters('namespaceName'), '/orders')]". */
function namesIn(name: string): readonly string[] {
  return (/'\/([^']+)'/.exec(name)?.[1] ?? '').split('/').filter((part) => part !== '');
}

/** `type names` of "[resourceId('type', parameters('namespaceName'), 'orders')]". */
function identityIn(id: string): string {
  const [type = '', ...names] = [...id.matchAll(/'([^']+)'/g)].map(([, text]) => text ?? '');
  return [type, ...names.filter((name) => name !== 'namespaceName')].join(' ');
}

test('every resource of the ARM template is one of Bicep, with the same names, properties and dependencies', () => {
  fc.assert(
    fc.property(namespaces({ isConfig: true }), (entities) => {
      const bicep = readBicep(writeDefinitions(entities, 'bicep').text);
      const arm = JSON.parse(writeDefinitions(entities, 'arm').text);
      const inArm = arm.resources.map((resource: ArmResource) => ({
        type: resource.type,
        apiVersion: resource.apiVersion,
        names: namesIn(resource.name),
        properties: resource.properties,
        dependsOn: (resource.dependsOn ?? []).map(identityIn).sort(),
      }));
      const identities = new Map(
        bicep.resources.map(({ label, type, names }) => [label, [type, ...names].join(' ')]),
      );
      const inBicep = bicep.resources.map(({ type, apiVersion, names, properties = {}, dependsOn }) => ({
        type,
        apiVersion,
        names,
        properties: escaped(properties),
        dependsOn: dependsOn.map((label) => identities.get(label)).sort(),
      }));
      expect(inBicep).toEqual(inArm);
      expect(bicep.parameters.map((line) => line.split(' ')[0])).toEqual(Object.keys(arm.parameters));
    }),
    { numRuns: countFor(100, 3000) },
  );
});

/** ARM writes a text in brackets with one more. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return /^\[.*\]$/s.test(value) ? `[${value}` : value;
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escaped(one)]));
}

test('texts with quotes, backslashes, lines and beginnings of expressions stay what they are', () => {
  const userMetadata = `it's \\ a\nline\twith \${x} and \u0001`;
  const { text } = writeDefinitions({ queues: [describeQueue('q', { userMetadata })], topics: [] }, 'bicep');
  expect(readBicep(text).resources.at(-1)?.properties).toEqual({ userMetadata });
});

test('names that differ only in characters that a label cannot have get labels of their own', () => {
  const queues = ['a.b', 'a-b', 'a_b', 'a/b'].map((name) => describeQueue(name));
  const { resources } = readBicep(writeDefinitions({ queues, topics: [] }, 'bicep').text);
  expect(resources.map(({ label }) => label)).toEqual([
    'serviceBus',
    'queue_a_b',
    'queue_a_b_2',
    'queue_a_b_3',
    'queue_a_b_4',
  ]);
  expect(resources.at(-1)).toMatchObject({ type: `${NAMESPACE}/queues`, names: ['a~b'] });
});

test('queues that forward to each other do not wait for each other, and a note says what to do', () => {
  const queues = [
    describeQueue('a', { forwardTo: 'b' }),
    describeQueue('b', { forwardDeadLetteredMessagesTo: 'a' }),
  ];
  const { text, notes } = writeDefinitions({ queues, topics: [] }, 'bicep');
  expect(readBicep(text).resources.map(({ dependsOn }) => dependsOn)).toEqual([
    [],
    ['serviceBus', 'queue_b'],
    ['serviceBus'],
  ]);
  expect(notes).toEqual([
    'b and a forward to each other: deploy without the forwardDeadLetteredMessagesTo of b first',
  ]);
});
