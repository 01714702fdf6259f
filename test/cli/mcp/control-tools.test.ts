// The tools of `jitney mcp`: which there are, and the calls that they make.

import { expect, test } from 'vitest';
import { controlTools } from '../../../src/cli/mcp/control-tools.js';
import { openApi } from '../../../src/http/control/openapi.js';

const document = openApi('1.2.3');
const all = controlTools(document, true);

function callOf(name: string, given: Readonly<Record<string, unknown>>) {
  return all.find((tool) => tool.name === name)?.call(given);
}

test('without --write there are only tools that change nothing', () => {
  const looks = controlTools(document, false).map(({ name }) => name);
  expect(looks).toEqual([
    ...['get_info', 'get_entities', 'get_entity', 'get_messages', 'get_message', 'get_locks', 'get_sessions'],
    ...[
      'get_session',
      'get_rules',
      'get_namespaces',
      'get_clock',
      'get_faults',
      'get_connections',
      'get_history',
      'get_rates',
    ],
    ...['get_causes', 'search', 'test_rules'],
  ]);
  expect(all.length).toBeGreaterThan(looks.length);
});

test('each tool has a name of its own, and says whether it destroys something', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  const hints = Object.fromEntries(all.map(({ name, annotations }) => [name, annotations.destructiveHint]));
  expect(hints).toMatchObject({ purge_messages: true, stop: true, add_messages: false, get_messages: false });
});

test('arguments go into the query, the path or the body, as the call has them', () => {
  expect(callOf('get_messages', { entity: 'orders', limit: 5, state: ['active', 'locked'] })).toEqual({
    method: 'GET',
    name: 'messages',
    query: { entity: 'orders', limit: '5', state: 'active,locked' },
    isStream: false,
  });
  expect(callOf('get_message', { entity: 'orders', id: 7 })).toMatchObject({
    name: 'messages/7',
    query: { entity: 'orders' },
  });
  expect(callOf('add_messages', { entity: 'orders', messages: [{ body: 'a' }] })).toMatchObject({
    method: 'POST',
    name: 'messages',
    query: { entity: 'orders' },
    body: [{ body: 'a' }],
  });
  expect(callOf('add_faults', { faults: { on: 'send' } })).toMatchObject({ body: { on: 'send' } });
  expect(callOf('advance_clock', { by: 'PT5M' })).toMatchObject({
    name: 'clock:advance',
    query: {},
    body: { by: 'PT5M' },
  });
});

test('a schema that is referred to comes with the tool', () => {
  const { inputSchema } = all.find(({ name }) => name === 'test_rules') ?? {};
  const references = [...JSON.stringify(inputSchema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)];
  for (const [, name = ''] of references) expect(inputSchema?.$defs).toHaveProperty(name);
  expect(JSON.stringify(all)).not.toContain('#/components');
});
