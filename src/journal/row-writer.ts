// Takes what a batch changes: the rows and contents of its events.

export type RowWriter = {
  put(key: string, text: string): void;
  del(key: string): void;
  putContent(contentId: number, bytes: Uint8Array): void;
};
