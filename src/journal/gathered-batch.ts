// The rows and contents of a batch.

import type { NewContent, RowChange } from './log/record.js';
import type { RowWriter } from './table/rows/row-writer.js';

export class GatheredBatch implements RowWriter {
  readonly rows: RowChange[] = [];
  readonly contents: NewContent[] = [];

  change(row: RowChange): void {
    this.rows.push(row);
  }

  put(key: string, text: string): void {
    this.rows.push([key, text]);
  }

  del(key: string): void {
    this.rows.push([key, undefined]);
  }

  putContent(contentId: number, bytes: Uint8Array): void {
    this.contents.push({ contentId, bytes });
  }
}
