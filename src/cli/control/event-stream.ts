// Server-sent events, read from a stream of text.

export type ServerEvent = {
  /** Undefined for an event without one. */
  readonly id: string | undefined;
  /** `message` unless the event names another type. */
  readonly type: string;
  readonly data: string;
};

/** The events of a stream whose lines end with a line feed. Comments are left out, and an event that is cut off. */
export async function* readEvents(parts: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const part of parts) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

function readEvent(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const data = fields.get('data');
  return data === undefined
    ? undefined
    : { id: fields.get('id'), type: fields.get('event') ?? 'message', data };
}
