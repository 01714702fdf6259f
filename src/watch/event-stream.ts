// Reads server-sent events from text that arrives in parts, for the page in a browser and for `jitney tail`.

export type ServerEvent = {
  /** Undefined for an event without an id. */
  readonly id: string | undefined;
  /** `message` unless the event names another type. */
  readonly type: string;
  readonly data: string;
};

/** Reads one stream, in which lines end with a line feed. Comments, and an event that is cut off at the end, are left out. */
export class EventStream {
  #rest = '';

  read(part: string): ServerEvent[] {
    const blocks = (this.#rest + part).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap(eventIn);
  }
}

function eventIn(block: string): ServerEvent[] {
  const fields = new Map(block.split('\n').map(fieldIn));
  const data = fields.get('data');
  return data === undefined ? [] : [{ id: fields.get('id'), type: fields.get('event') ?? 'message', data }];
}

function fieldIn(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
