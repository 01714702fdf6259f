// Tests of when a soak is good.

import { expect, test } from 'vitest';
import { differences, type State } from './compare.js';

const STATE: State = {
  memoryMb: 40,
  fileCount: 30,
  resources: { Timeout: 2 },
  counts: { servicebus_links: 0, servicebus_messages: 4 },
};

test('what is as it was, or less, is good', () => {
  expect(differences(STATE, { ...STATE, memoryMb: 41.9, fileCount: 29, resources: {} })).toEqual([]);
});

test.each([
  ['memory after a collection rose from 40.0 to 42.1 MB', { memoryMb: 42.1 }],
  ['open files were 30 and are 31', { fileCount: 31 }],
  ['Timeout was 2 and is 3', { resources: { Timeout: 3 } }],
  ['servicebus_links was 0 and is 1', { counts: { servicebus_links: 1 } }],
  ['Immediate was 0 and is 1', { resources: { Immediate: 1 } }],
])('%s: that is said', (text, change) => {
  expect(differences(STATE, { ...STATE, ...change })).toEqual([expect.stringContaining(text)]);
});
