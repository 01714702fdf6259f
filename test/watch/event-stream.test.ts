// Server-sent events, however the network cuts their text.

import { expect, test } from 'vitest';
import { EventStream, type ServerEvent } from '../../src/watch/event-stream.js';

const TEXT =
  ': connected\n\nid: 1\ndata: {"a":"b: c"}\n\nevent: lost\ndata:{"count":2}\n\nretry: 3\n\nid: 2\ndata: cut off';

function read(parts: readonly string[]): ServerEvent[] {
  const stream = new EventStream();
  return parts.flatMap((part) => stream.read(part));
}

test('each event is read, wherever the text is cut', () => {
  for (let at = 0; at <= TEXT.length; at++) {
    expect(read([TEXT.slice(0, at), TEXT.slice(at)]), `cut at ${at}`).toEqual([
      { id: '1', type: 'message', data: '{"a":"b: c"}' },
      { id: undefined, type: 'lost', data: '{"count":2}' },
    ]);
  }
  expect(read([...TEXT])).toHaveLength(2);
});
