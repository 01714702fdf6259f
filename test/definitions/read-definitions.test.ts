// Which kinds of files are read, and what is said of all others; the manifest of Aspire.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDefinitions } from '../../src/definitions/read-definitions.js';
import { JitneyError } from '../../src/jitney-error.js';

function problemsOf(name: string, text: string): readonly string[] {
  try {
    readDefinitions({ name, text });
  } catch (error) {
    if (error instanceof JitneyError && error.kind === 'definitions-invalid') return error.problems;
    throw error;
  }
  throw new Error('It was read');
}

test('a Config.json of the official emulator has its defaults, and one of Aspire is read', () => {
  const text = '\uFEFF{ "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "q" }] }] } } // comment';
  expect(readDefinitions({ name: 'Config.json', text }).queues).toMatchObject([
    { name: 'q', maxDeliveryCount: 3 },
  ]);
  const aspire = readFileSync(new URL('../config/aspire.Config.json', import.meta.url), 'utf8');
  const { queues, topics } = readDefinitions({ name: 'aspire.Config.json', text: aspire });
  expect(queues.length + topics.length).toBeGreaterThan(0);
});

test('a manifest of Aspire lists queues and topics, or names the module in Bicep that has them', () => {
  const bus = {
    type: 'azure.servicebus.v0',
    queues: ['orders'],
    topics: ['news', { name: 'events', subscriptions: ['audit'] }],
  };
  const web = { type: 'project.v0', path: 'web.csproj' };
  const text = (resources: object) =>
    JSON.stringify({ $schema: 'https://json.schemastore.org/aspire-8.0.json', resources });
  expect(readDefinitions({ name: 'aspire-manifest.json', text: text({ bus, web }) })).toMatchObject({
    queues: [{ name: 'orders', maxDeliveryCount: 10 }],
    topics: [
      { description: { name: 'news' }, subscriptions: [] },
      { description: { name: 'events' }, subscriptions: [{ description: { name: 'audit' } }] },
    ],
    notes: ['left out: 1 other resources'],
  });
  expect(
    problemsOf('m.json', text({ bus: { type: 'azure.bicep.v0', path: 'bus.module.bicep' }, web })),
  ).toEqual([
    'm.json:1:1  the file names its Service Bus only by a module in Bicep. Build the right one of bus.module.bicep: az bicep build --file <module> --stdout | jitney import -',
  ]);
  expect(problemsOf('m.json', text({ bus: { ...bus, queues: [7] } }))).toEqual([
    expect.stringMatching(/^m\.json:1:\d+ {2}resources\.bus\.queues\[0\] must be a name, not 7$/),
  ]);
});

test.each([
  [
    'main.bicep',
    'resource x',
    ['Bicep is read as ARM: az bicep build --file main.bicep --stdout | jitney import -'],
  ],
  [
    'main.bicepparam',
    'using x',
    ['Parameters are read as JSON: az bicep build-params --file main.bicepparam'],
  ],
  ['main.tf', 'resource x', ['Terraform is read as JSON: terraform show -json | jitney import -']],
  ['x.json', '{ "a": ', [expect.stringMatching(/^x\.json:1:\d+ {2}not JSON: value expected/)]],
  [
    'x.json',
    '[]',
    [expect.stringMatching(/^x\.json:1:1 {2}the file must be a Config\.json, an ARM template/)],
  ],
  [
    'x.json',
    '{ "a": 1 }',
    [expect.stringMatching(/^x\.json:1:1 {2}the file is none of the files that can be read/)],
  ],
])('%s with %s is refused with advice', (name, text, problems) => {
  expect(problemsOf(name, text)).toEqual(problems);
});

test('a template without entities says so', () => {
  const { notes } = readDefinitions({ name: 'x.json', text: '{ "resources": [] }' });
  expect(notes).toEqual(['no queue and no topic was found']);
});
