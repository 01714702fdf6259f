// A record as JSON: the fields that it has.

import { expect, it } from 'vitest';
import { jsonOfRecord } from '../../src/watch/record-json.js';

it('a field that JSON does not have is left out', () => {
  const lock = { lockedUntil: Number.POSITIVE_INFINITY, deliveryCount: 0, lockToken: 'ab', linkId: 3 };
  const record = {
    id: 7,
    time: 0,
    kind: 'locked' as const,
    client: undefined,
    path: 'orders',
    sequenceNumber: 1,
    ...lock,
  };
  expect(JSON.stringify(jsonOfRecord(record))).toBe(
    '{"id":7,"time":"1970-01-01T00:00:00.000Z","kind":"locked","path":"orders","sequenceNumber":1,"deliveryCount":0,"lockToken":"ab","linkId":3}',
  );
});
