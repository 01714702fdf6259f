// Server-sent events, however the network cuts their text.

import { expect, test } from 'vitest';
import { readEvents, type ServerEvent } from '../../../src/cli/control/event-stream.js';

const TEXT =
  ': connected\n\nid: 1\ndata: {"a":"b: c"}\n\nevent: lost\ndata:{"count":2}\n\nretry: 3\n\nid: 2\ndata: cut off';

async function read(parts: readonly string[]): Promise<ServerEvent[]> {
  async function* stream() {
    yield* parts;
  }
  const events: ServerEvent[] = [];
  for await (const event of readEvents(stream())) events.push(event);
  return events;
}

test('each event is read, wherever the text is cut', async () => {
  for (let at = 0; at <= TEXT.length; at++) {
    expect(await read([TEXT.slice(0, at), TEXT.slice(at)]), `cut at ${at}`).toEqual([
      { id: '1', type: 'message', data: '{"a":"b: c"}' },
      { id: undefined, type: 'lost', data: '{"count":2}' },
    ]);
  }
  expect(await read([...TEXT])).toHaveLength(2);
});
