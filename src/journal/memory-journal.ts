// The journal of an emulator without a directory. Only contents are ever read from it, so it keeps nothing else.

import { ContentUnreadable } from '../broker/contract/content-unreadable.js';
import type { StoredEvent } from '../broker/contract/event.js';
import type { Journal, JournalEvent, Recovered } from '../engine/ports.js';

export class MemoryJournal implements Journal {
  readonly #contents = new Map<number, Uint8Array>();

  async recover(_restore: (stored: readonly StoredEvent[]) => void): Promise<Recovered> {
    return { lastTime: 0, nextContentId: 1 };
  }

  async append(events: readonly JournalEvent[]): Promise<void> {
    for (const event of events) {
      if (event.kind === 'content-stored') this.#contents.set(event.contentId, event.content);
    }
  }

  deleteContent(contentId: number): void {
    this.#contents.delete(contentId);
  }

  contentBytes(contentId: number): number {
    return this.#contents.get(contentId)?.length ?? 0;
  }

  async readContent(contentId: number): Promise<Uint8Array> {
    return this.readContentNow(contentId);
  }

  readContentNow(contentId: number): Uint8Array {
    const content = this.#contents.get(contentId);
    if (content === undefined)
      throw new ContentUnreadable(contentId, `content ${contentId} is not in memory`);
    return content;
  }

  async close(): Promise<void> {
    this.#contents.clear();
  }
}
