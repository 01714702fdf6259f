// What real SDKs send, as recorded: the codec reads every frame, and Jitney answers a replay as it answered the SDK.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import { readHotFrame } from '../../src/codec/hot-frame-reader.js';
import { readPerformative, writePerformative } from '../../src/codec/performatives.js';
import {
  cutFrames,
  isProtocolHeader,
  readRecording,
  splitFrame,
  writeRecording,
} from '../support/recording.js';
import { replay } from '../support/recording-replay.js';

const FOLDER = new URL('recordings/', import.meta.url);
const SDKS = ['dotnet', 'go', 'java', 'javascript', 'jms', 'jms2', 'python', 'uamqp'];
/** Smaller than a frame header, and no divisor of most frames. */
const CHUNK_BYTES = 7;
const HOT_KINDS = ['disposition', 'flow', 'transfer'];

test('each recording is tested', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(SDKS.map((sdk) => `${sdk}.txt`));
});

test('a recording is written as it was read, and its frames are cut out of chunks of any size', () => {
  const text = readFileSync(new URL('jms.txt', FOLDER), 'utf8');
  const recording = readRecording(text);
  expect(writeRecording(recording)).toBe(text);
  const frames = recording.frames.map(({ bytes }) => bytes);
  const bytes = Buffer.concat(frames);
  const cut = cutFrames();
  const found: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    found.push(...cut(bytes.subarray(start, start + CHUNK_BYTES)));
  }
  expect(found).toEqual(frames);
});

describe.each(SDKS)('%s', (sdk) => {
  const text = readFileSync(new URL(`${sdk}.txt`, FOLDER), 'utf8');
  const recording = readRecording(text);
  const clientBodies = recording.frames
    .filter(({ from, bytes }) => from === 'client' && !isProtocolHeader(bytes))
    .map(({ bytes }) => splitFrame(bytes).body)
    .filter((body) => body.length > 0);

  test('each frame of the client is read, and written again it says the same', () => {
    expect(clientBodies.length).toBeGreaterThan(50);
    for (const body of clientBodies) {
      const { performative } = readPerformative(body);
      const writer = new ByteWriter();
      writePerformative(writer, performative);
      const written = writer.take();
      expect(readPerformative(written)).toEqual({ performative, next: written.length });
    }
  });

  test('each transfer, disposition and flow of the client is read by hand, as the table reads it', () => {
    const counts = new Map<string, number>();
    for (const body of clientBodies) {
      const read = readPerformative(body);
      const { kind } = read.performative;
      if (!HOT_KINDS.includes(kind)) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      expect(readHotFrame(body), body.toString('hex')).toEqual(read);
    }
    expect([...counts.keys()].sort()).toEqual(HOT_KINDS);
  });

  test('a replay is answered as the SDK was', async () => {
    const exchanges = await replay(recording);
    expect(exchanges.map(({ replayed }) => replayed)).toEqual(exchanges.map(({ recorded }) => recorded));
  });
});
