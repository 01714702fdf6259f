// Tables for a terminal.

import { expect, test } from 'vitest';
import { formatTable } from '../../../src/cli/output/text-table.js';

test('columns are aligned: texts at the left, numbers at the right, by the places that a terminal gives them', () => {
  const columns = [{ title: 'NAME' }, { title: 'COUNT', isNumber: true }, { title: 'KIND' }];
  const rows = [
    ['orders', '1', 'queue'],
    ['日本', '123456', ''],
    ['e\u0301', '', 'topic'],
    ['\u009b', '0', 'c'],
  ];
  expect(formatTable(columns, rows)).toBe(
    [
      'NAME     COUNT  KIND',
      'orders       1  queue',
      '日本    123456',
      'e\u0301               topic',
      '\\u009b       0  c',
      '',
    ].join('\n'),
  );
});
