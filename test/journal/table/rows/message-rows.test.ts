// The rows of a batch's messages: store by store, and copies of a message share their text.

import { expect, test } from 'vitest';
import type { RowChange } from '../../../../src/journal/log/record.js';
import { messageKey, pageKeyOf } from '../../../../src/journal/table/rows/keys.js';
import { MessageRows } from '../../../../src/journal/table/rows/message-rows.js';
import { writeMessage } from '../../../../src/journal/table/rows/message-values.js';
import { messageRecord, writerTo } from '../../../support/journal-rows.js';

type Change = readonly [key: string, text: string | undefined];

function changesOf(rows: MessageRows): readonly Change[] {
  const changes: RowChange[] = [];
  const change = (row: RowChange) => changes.push(row);
  rows.write({ ...writerTo(new Map()), change });
  for (const [key, , pageStart, index] of changes) {
    expect(key).toBe(`${pageStart}${String(index).padStart(2, '0')}`);
    expect(pageKeyOf(key).slice(1)).toBe(pageStart?.slice(1));
  }
  return changes.map(([key, text]) => [key, text]);
}

test('the rows of a store follow one another in their order, whatever came between them', () => {
  const rows = new MessageRows();
  rows.put(1, messageRecord(9));
  rows.put(22, messageRecord(100));
  rows.put(1, messageRecord(2 ** 53 - 1));
  rows.remove(22, 100);
  rows.put(1, messageRecord(10));
  expect(changesOf(rows)).toEqual([
    [messageKey(1, 9), writeMessage(messageRecord(9))],
    [messageKey(1, 2 ** 53 - 1), writeMessage(messageRecord(2 ** 53 - 1))],
    [messageKey(1, 10), writeMessage(messageRecord(10))],
    [messageKey(22, 100), writeMessage(messageRecord(100))],
    [messageKey(22, 100), undefined],
  ]);
});

test('the text of copies is written once', () => {
  let writtenCount = 0;
  const change = {
    name: 'color',
    get value() {
      writtenCount += 1;
      return 'red';
    },
  };
  const copy = messageRecord(1, { details: { propertyChanges: [change] } });
  const rows = new MessageRows();
  rows.putCopies(copy, Array.from({ length: 10 }, (_, index) => [index + 1, index + 100]).flat());
  const changes = changesOf(rows);
  expect(changes.map(([key]) => key)).toEqual(
    Array.from({ length: 10 }, (_, index) => messageKey(index + 1, index + 100)),
  );
  expect(writtenCount).toBe(1);
  expect(new Set(changes.map(([, text]) => text))).toEqual(new Set([writeMessage(copy)]));
});
