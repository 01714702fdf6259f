// The place of each content: segment, offset, length and checksum, in typed arrays of a thousand contents each. A million take 16 MB.

const PAGE_CONTENTS = 1024;
const FIELDS = 4;

export type ContentPlace = {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
};

/** Four numbers for each content. Segment 0 means that there is no such content. */
type Page = { readonly fields: Uint32Array; count: number };

export class ContentPlaces {
  readonly #pages = new Map<number, Page>();
  /** The bytes of living contents in each segment that has any. */
  readonly #liveBytes = new Map<number, number>();
  readonly #liveCounts = new Map<number, number>();

  liveBytesIn(segment: number): number {
    return this.#liveBytes.get(segment) ?? 0;
  }

  liveCountIn(segment: number): number {
    return this.#liveCounts.get(segment) ?? 0;
  }

  hasLiving(segment: number): boolean {
    return this.#liveCounts.has(segment);
  }

  /** Sets the place of a content, and replaces an earlier place. */
  put(contentId: number, segment: number, offset: number, length: number, checksum: number): void {
    const page = this.#pageFor(contentId);
    const at = (contentId % PAGE_CONTENTS) * FIELDS;
    const { fields } = page;
    if (fields[at] === 0) page.count += 1;
    else this.#subtract(fields[at] as number, fields[at + 2] as number);
    fields[at] = segment;
    fields[at + 1] = offset;
    fields[at + 2] = length;
    fields[at + 3] = checksum;
    this.#liveBytes.set(segment, this.liveBytesIn(segment) + length);
    this.#liveCounts.set(segment, this.liveCountIn(segment) + 1);
  }

  delete(contentId: number): void {
    const number = Math.floor(contentId / PAGE_CONTENTS);
    const page = this.#pages.get(number);
    const at = (contentId % PAGE_CONTENTS) * FIELDS;
    if (page === undefined || page.fields[at] === 0) return;
    this.#subtract(page.fields[at] as number, page.fields[at + 2] as number);
    page.fields[at] = 0;
    page.count -= 1;
    if (page.count === 0) this.#pages.delete(number);
  }

  find(contentId: number): ContentPlace | undefined {
    const fields = this.#pages.get(Math.floor(contentId / PAGE_CONTENTS))?.fields;
    const at = (contentId % PAGE_CONTENTS) * FIELDS;
    const segment = fields?.[at];
    if (fields === undefined || segment === undefined || segment === 0) return undefined;
    return {
      segment,
      offset: fields[at + 1] as number,
      length: fields[at + 2] as number,
      checksum: fields[at + 3] as number,
    };
  }

  has(contentId: number): boolean {
    return (
      (this.#pages.get(Math.floor(contentId / PAGE_CONTENTS))?.fields[(contentId % PAGE_CONTENTS) * FIELDS] ??
        0) !== 0
    );
  }

  /** Deletes all contents that are not needed. */
  keepOnly(needed: { has(contentId: number): boolean }): void {
    for (const [number, { fields }] of this.#pages) {
      for (let slot = 0; slot < PAGE_CONTENTS; slot++) {
        const contentId = number * PAGE_CONTENTS + slot;
        if (fields[slot * FIELDS] !== 0 && !needed.has(contentId)) this.delete(contentId);
      }
    }
  }

  #pageFor(contentId: number): Page {
    const number = Math.floor(contentId / PAGE_CONTENTS);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = { fields: new Uint32Array(PAGE_CONTENTS * FIELDS), count: 0 };
      this.#pages.set(number, page);
    }
    return page;
  }

  #subtract(segment: number, length: number): void {
    const count = this.liveCountIn(segment) - 1;
    if (count > 0) {
      this.#liveCounts.set(segment, count);
      this.#liveBytes.set(segment, this.liveBytesIn(segment) - length);
    } else {
      this.#liveCounts.delete(segment);
      this.#liveBytes.delete(segment);
    }
  }
}
