// Replays a recording: its client's frames go to an emulator under test at their recorded times, and what that answers is compared.

import assert from 'node:assert';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import { decodeState } from '../../src/codec/delivery-state.js';
import { decodeError, type Performative, readPerformative } from '../../src/codec/performatives.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from './emulator-under-test.js';
import { lockToken } from './frame-links.js';
import { ReceivedMessage } from './frame-message.js';
import { notation } from './frame-notation.js';
import { cutFrames, kindOf, type RecordedFrame, type Recording, splitFrame } from './recording.js';

/** Ample: over a memory pipe an answer comes within a few dozen turns of the event loop. */
const PATIENCE_TURNS = 20_000;
const LOCK = 'lockDuration=PT30S&maxDeliveryCount=3';
const RED: RuleDescription = {
  name: 'label',
  filter: { kind: 'sql', expression: "sys.Label = 'red'" },
  action: undefined,
};
const GUID_BYTES = 16;
/** The key `lock-token` of an answer, and the constructor of the uuid behind it. */
const LOCK_TOKEN_ENTRY = Buffer.from('\xa1\x0alock-token\x98', 'latin1');

export type Exchange = { readonly recorded: string; readonly replayed: string };

/** What Jitney answered then, and what it answers now, frame by frame. Throws when an answer does not come. */
export async function replay(recording: Recording): Promise<readonly Exchange[]> {
  const emulator = await openRecordedEntities();
  try {
    const exchanges = await new Replay(emulator).run(recording);
    assert.deepEqual(emulator.faults, []);
    return exchanges;
  } finally {
    await emulator.stop();
  }
}

/** The entities of `compat-tests/languages/entities.ts` that are in recordings. */
function openRecordedEntities(): Promise<EmulatorUnderTest> {
  return openEmulatorUnderTest({
    queues: [`plain?${LOCK}`, `sessions?requiresSession=true&${LOCK}`],
    topics: [
      {
        name: 'events',
        subscriptions: ['all', { name: 'red', rules: [RED] }, { name: 'ordered', requiresSession: true }],
      },
    ],
  });
}

class Replay {
  readonly #emulator: EmulatorUnderTest;
  readonly #connections = new Map<number, ReplayedConnection>();
  /** Values that Jitney makes at random, as they were and as they are now. */
  readonly #tokens: { readonly recorded: Buffer; readonly actual: Buffer }[] = [];

  constructor(emulator: EmulatorUnderTest) {
    this.#emulator = emulator;
  }

  async run({ startedAt, frames }: Recording): Promise<readonly Exchange[]> {
    const exchanges: Exchange[] = [];
    for (const read of readsOf(frames)) {
      const [{ timeMs, connection: number, from }] = read as [RecordedFrame];
      this.#emulator.clock.advanceTo(startedAt + timeMs);
      const connection = this.#connection(number);
      if (from === 'client') {
        connection.write(Buffer.concat(read.map(({ bytes }) => this.#translate(bytes))));
        continue;
      }
      for (const { bytes } of read) {
        if (kindOf(bytes) === 'heartbeat') continue;
        const actual = await connection.next(describe(bytes));
        this.#learnTokens(bytes, actual);
        exchanges.push({ recorded: describe(bytes), replayed: describe(actual) });
      }
    }
    return exchanges;
  }

  #connection(number: number): ReplayedConnection {
    const known = this.#connections.get(number);
    if (known !== undefined) return known;
    const connection = new ReplayedConnection(this.#emulator);
    this.#connections.set(number, connection);
    return connection;
  }

  #learnTokens(recorded: Buffer, actual: Buffer): void {
    const actualTokens = tokensOf(actual);
    for (const [index, token] of tokensOf(recorded).entries()) {
      const now = actualTokens[index];
      if (now === undefined) continue;
      this.#tokens.push({ recorded: token, actual: now });
      // The order of a delivery tag and that of an AMQP uuid: each is the other's.
      this.#tokens.push({ recorded: lockToken(token), actual: lockToken(now) });
    }
  }

  /** The client's bytes with today's tokens in the place of those that it was given then. */
  #translate(bytes: Buffer): Buffer {
    const translated = Buffer.from(bytes);
    for (const { recorded, actual } of this.#tokens) {
      for (let at = bytes.indexOf(recorded); at >= 0; at = bytes.indexOf(recorded, at + 1)) {
        actual.copy(translated, at);
      }
    }
    return translated;
  }
}

/** The client's end of one connection. */
class ReplayedConnection {
  readonly #duplex: ReturnType<EmulatorUnderTest['connect']>;
  readonly #answers: Buffer[] = [];

  constructor(emulator: EmulatorUnderTest) {
    this.#duplex = emulator.connect();
    const cut = cutFrames();
    this.#duplex.on('data', (chunk: Buffer) => {
      this.#answers.push(...[...cut(chunk)].filter((bytes) => kindOf(bytes) !== 'heartbeat'));
    });
  }

  write(bytes: Buffer): void {
    this.#duplex.write(bytes);
  }

  async next(expected: string): Promise<Buffer> {
    for (let turn = 0; turn < PATIENCE_TURNS; turn += 1) {
      const answer = this.#answers.shift();
      if (answer !== undefined) return answer;
      await nextTurn();
    }
    throw new Error(`nothing came in ${PATIENCE_TURNS} turns where ${expected} was recorded`);
  }
}

/** The frames that came in one read each. */
function readsOf(frames: readonly RecordedFrame[]): readonly (readonly RecordedFrame[])[] {
  const reads = new Map<number, RecordedFrame[]>();
  for (const frame of frames) {
    const read = reads.get(frame.timeMs);
    if (read === undefined) reads.set(frame.timeMs, [frame]);
    else read.push(frame);
  }
  return [...reads.values()];
}

/** Lock tokens: a delivery's tag, and those in an answer to a request for deferred messages. */
function tokensOf(bytes: Buffer): readonly Buffer[] {
  if (kindOf(bytes) !== 'transfer') return [];
  const { body } = splitFrame(bytes);
  const { performative } = readPerformative(body);
  if (performative.kind !== 'transfer') return [];
  const tokens = performative.deliveryTag?.length === GUID_BYTES ? [performative.deliveryTag] : [];
  for (let at = body.indexOf(LOCK_TOKEN_ENTRY); at >= 0; at = body.indexOf(LOCK_TOKEN_ENTRY, at + 1)) {
    const start = at + LOCK_TOKEN_ENTRY.length;
    tokens.push(body.subarray(start, start + GUID_BYTES));
  }
  return tokens;
}

/** The kind of a frame, and what decides how a client goes on: an outcome, an error, a status, a sequence number. */
function describe(bytes: Buffer): string {
  const kind = kindOf(bytes);
  if (kind === 'header') return `header ${bytes.toString('hex')}`;
  const { channel, body } = splitFrame(bytes);
  const { performative, next } = readPerformative(body);
  return `${channel} ${kind} ${detailsOf(performative, body.subarray(next)).join(' ')}`.trimEnd();
}

function detailsOf(performative: Performative, payload: Buffer): readonly unknown[] {
  switch (performative.kind) {
    case 'disposition': {
      const { first, last = first, state } = performative;
      return [`${first}-${last}`, decodeState(state)?.kind];
    }
    case 'transfer': {
      const message = new ReceivedMessage(payload);
      const entry = (...[section, key]: Parameters<ReceivedMessage['entry']>) =>
        message.section(section) === undefined ? [] : [notation(message.entry(section, key))];
      return [
        ...entry('messageAnnotations', 'x-opt-sequence-number'),
        ...entry('applicationProperties', 'statusCode'),
      ];
    }
    case 'flow':
      return [performative.handle, performative.linkCredit, performative.drain];
    case 'detach':
    case 'end':
    case 'close':
      return [decodeError(performative.error)?.condition];
    default:
      return [];
  }
}
