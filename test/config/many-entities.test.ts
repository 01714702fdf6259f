// Tests that a config with many entities is read in steps that grow with their number, not with its square: that would take minutes.

import { expect, test } from 'vitest';
import { collectEntities } from '../../src/config/configured-entities.js';
import { indexOfName } from '../../src/config/configured-topic.js';

test('30,000 queues in a file, 20,000 of which are named as well', async () => {
  const Queues = Array.from({ length: 30_000 }, (_, index) => ({ Name: `Queue-${index}`, Properties: {} }));
  const Namespaces = [{ Name: 'n', Queues, Topics: [] }];
  const configJson = JSON.stringify({ UserConfig: { Namespaces, Logging: { Type: 'File' } } });
  const queues = Array.from({ length: 20_000 }, (_, index) => `queue-${index}`);
  const collected = await collectEntities({ configJson, queues });
  expect(collected.queues).toHaveLength(30_000);
  expect(collected.fromFile.queues).toBe(10_000);
  expect(collected.isNamed({ name: 'QUEUE-19999' })).toBe(true);
  expect(collected.locationOf({ entity: { name: 'queue-29999' }, property: undefined })).toContain(
    'Queues[29999]',
  );
});

test('the first of names that differ in case alone is found', () => {
  const names = ['a', 'B', 'b'];
  expect([indexOfName('b', names), indexOfName('A', names), indexOfName('c', names)]).toEqual([1, 0, -1]);
});
