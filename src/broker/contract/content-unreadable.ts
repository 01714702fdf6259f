// The error of a reader of contents when the bytes of one content are missing or damaged and everything else can be read.

export class ContentUnreadable extends Error {
  readonly contentId: number;
  /** The finding, as a clause without a full stop: `content 7 is missing`. */
  readonly seen: string;

  constructor(contentId: number, seen: string) {
    super(`A content cannot be read: ${seen}.`);
    this.name = 'ContentUnreadable';
    this.contentId = contentId;
    this.seen = seen;
  }
}

/** A content that cannot be read, and the message for which it was read. */
export type UnreadableContent = {
  readonly contentId: number;
  readonly storeId: number;
  readonly sequenceNumber: number;
  /** As in the error. */
  readonly seen: string;
};
