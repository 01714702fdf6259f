// Replays a recording: its client's frames go to an emulator under test at their recorded times, and what that answers is compared.

import assert from 'node:assert';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import { decodeState } from '../../src/codec/delivery-state.js';
import { readPerformative } from '../../src/codec/performatives.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from './emulator-under-test.js';
import { decodeAt } from './frame-decoder.js';
import { lockToken } from './frame-links.js';
import { ReceivedMessage } from './frame-message.js';
import { notation } from './frame-notation.js';
import {
  cutFrames,
  isProtocolHeader,
  kindOf,
  type RecordedFrame,
  type Recording,
  splitFrame,
} from './recording.js';

/** Ample: over a memory pipe an answer comes within a few dozen turns of the event loop. */
const PATIENCE_TURNS = 20_000;
const LOCK = 'lockDuration=PT30S&maxDeliveryCount=3';
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
    queues: [
      `plain?${LOCK}`,
      `archive?${LOCK}`,
      `sessions?requiresSession=true&${LOCK}`,
      'short?lockDuration=PT2S',
      'short-sessions?lockDuration=PT2S&requiresSession=true',
    ],
    topics: [
      {
        name: 'events',
        subscriptions: [
          { name: 'all', rules: [sqlRule('everything', '1=1')] },
          { name: 'red', rules: [sqlRule('label', "sys.Label = 'red'")] },
          { name: 'ordered', requiresSession: true },
        ],
      },
    ],
  });
}

function sqlRule(name: string, expression: string): RuleDescription {
  return { name, filter: { kind: 'sql', expression }, action: undefined };
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
      if (token.length === GUID_BYTES)
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
    // A client may still write when the server has ended the connection.
    this.#duplex.on('error', () => {});
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

/** The digits in the name of a temporary node, which a link is told when it has made one. */
function temporaryNames(bytes: Buffer): readonly Buffer[] {
  const [, digits] = /temp-(?:queue|topic)-([0-9a-f]{32})/.exec(bytes.toString('latin1')) ?? [];
  return digits === undefined ? [] : [Buffer.from(digits)];
}

/** Lock tokens, which are a delivery's tag and in an answer to a request for deferred messages; and the id of a transaction. */
function tokensOf(bytes: Buffer): readonly Buffer[] {
  const kind = kindOf(bytes);
  if (kind === 'attach') return temporaryNames(bytes);
  if (kind !== 'transfer' && kind !== 'disposition') return [];
  const { body } = splitFrame(bytes);
  const { performative } = readPerformative(body);
  if (performative.kind === 'disposition') {
    const state = decodeState(performative.state);
    return state?.kind === 'declared' ? [Buffer.from(state.transactionId)] : [];
  }
  if (performative.kind !== 'transfer') return [];
  const tokens = performative.deliveryTag?.length === GUID_BYTES ? [performative.deliveryTag] : [];
  for (let at = body.indexOf(LOCK_TOKEN_ENTRY); at >= 0; at = body.indexOf(LOCK_TOKEN_ENTRY, at + 1)) {
    const start = at + LOCK_TOKEN_ENTRY.length;
    tokens.push(body.subarray(start, start + GUID_BYTES));
  }
  return tokens;
}

/** Values that differ from one run to the next, and the words in their place. */
const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/\b(binary|uuid) [0-9a-f]{32}\b/g, '$1 of a guid'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'a guid'],
  [/"[0-9a-f]{32}"/g, '"a generated message id"'],
  [/temp-(queue|topic)-[0-9a-f]{32}/g, 'temp-$1-of a guid'],
  [/"jitney-[0-9a-f]{8}"/g, '"a container id"'],
  [/"\d+\.\d+\.\d+"/g, '"a version"'],
  [/timestamp \d+/g, 'a timestamp'],
  // .NET ticks.
  [/long \d{18}\b/g, 'long of a time'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, 'a time'],
];
/** A message within the answer to a request: its first section has a descriptor from 0x70 to 0x78. */
const ENCODED_MESSAGE = /binary (00537[0-8](?:[0-9a-f]{2})+)/g;

/** A frame with all its types and values, but for those that differ from one run to the next. */
function describe(bytes: Buffer): string {
  if (isProtocolHeader(bytes)) return `header ${bytes.toString('hex')}`;
  const { channel, body } = splitFrame(bytes);
  const { value, next } = decodeAt(body, 0);
  const text = `${channel} ${notation(value)} ${describeMessage(body.subarray(next))}`.trimEnd();
  return VARIABLES.reduce((masked, [variable, words]) => masked.replace(variable, words), text);
}

function describeMessage(payload: Buffer): string {
  const { sections } = new ReceivedMessage(payload);
  return sections
    .map(({ name, value }) => `${name} ${notation(value)}`)
    .join(' ')
    .replace(ENCODED_MESSAGE, (_, hex: string) => `(${describeMessage(Buffer.from(hex, 'hex'))})`);
}
