// Takes the rows and contents of a batch's events.

import type { RowChange } from '../../log/record.js';

export type RowWriter = {
  put(key: string, text: string): void;
  del(key: string): void;
  change(row: RowChange): void;
  putContent(contentId: number, bytes: Uint8Array): void;
};
