// A frame as a line for people: what it does, the fields that were set, and never a secret.

import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import { encodeState } from '../../src/codec/delivery-state.js';
import { describeFrame } from '../../src/codec/frame-text.js';
import { encodeError, type Performative, writePerformative } from '../../src/codec/performatives.js';
import { encodeCoordinator } from '../../src/codec/terminus.js';
import { amqp } from '../../src/codec/types.js';
import { described, hex, list, NULL, smallUlong, str } from '../support/frame-encoder.js';
import { SAMPLES } from './performative-samples.js';

function textOf(performative: Performative, payload = Buffer.alloc(0)): string {
  return lineOf(
    encoded((writer) => writePerformative(writer, performative)),
    payload,
  );
}

function lineOf(body: Buffer, payload = Buffer.alloc(0)): string {
  return describeFrame({ type: 0, channel: 0, body: Buffer.concat([body, payload]) }).text;
}

function encoded(write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter();
  write(writer);
  return writer.take();
}

const ATTACH = {
  kind: 'attach',
  name: 'a link',
  handle: 0,
  role: true,
  sndSettleMode: 2,
  rcvSettleMode: 0,
  source: described(smallUlong(0x28), list([str('orders')])),
  target: undefined,
  incompleteUnsettled: false,
} as const;

const TRANSFER = {
  kind: 'transfer',
  handle: 3,
  deliveryId: 7,
  deliveryTag: hex('00112233445566778899aabbccddeeff'),
  more: false,
  resume: false,
  aborted: false,
  batchable: false,
} as const;

describe('a frame', () => {
  it('is shown by the fields that were set and are not as by default', () => {
    expect(textOf(ATTACH)).toBe('attach name="a link" handle=0 role=receiver source=orders');
  });

  it('has its payload by size only', () => {
    expect(textOf(TRANSFER, Buffer.from('a secret body'))).toBe(
      'transfer handle=3 delivery-id=7 delivery-tag=33221100... 13 bytes',
    );
  });

  it('has a short delivery tag whole, and of a lock token the digits that the records show', () => {
    expect(textOf({ ...TRANSFER, deliveryTag: hex('2a') })).toContain('delivery-tag=2a ');
    expect(textOf({ ...TRANSFER, deliveryTag: hex('') })).toContain('delivery-tag=empty ');
    expect(textOf({ ...TRANSFER, deliveryTag: hex('0011223344') })).toContain('delivery-tag=00112233... ');
  });

  it.each(SAMPLES.map(({ ours }) => [ours.kind, ours] as const))('%s names each field once', (kind, ours) => {
    const text = textOf(ours);
    expect(text.split(' ')[0]).toBe(kind);
    for (const [name, value] of Object.entries(ours)) {
      if (name === 'kind' || value === undefined) continue;
      const hyphened = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect(text.split(` ${hyphened}=`), text).toHaveLength(2);
    }
  });

  it('without a body is empty', () => {
    expect(lineOf(Buffer.alloc(0))).toBe('empty frame');
  });
});

describe('an outcome', () => {
  const ID = hex('0102030405060708');
  const error = { condition: 'com.microsoft:dead-letter', description: 'No such product' };
  it.each([
    [{ kind: 'accepted' }, 'accepted'],
    [{ kind: 'rejected', error }, 'rejected(com.microsoft:dead-letter "No such product")'],
    [
      { kind: 'modified', deliveryFailed: true, undeliverableHere: true, messageAnnotations: undefined },
      'modified(delivery-failed undeliverable-here)',
    ],
    [{ kind: 'declared', transactionId: ID }, 'declared(txn-id=01020304...)'],
    [
      { kind: 'transactional', transactionId: ID, outcome: { kind: 'accepted' } },
      'transactional(txn-id=01020304... accepted)',
    ],
  ] as const)('%j is shown as %s', (state, shown) => {
    const bytes = encoded((writer) => encodeState(writer, state));
    const disposition = {
      kind: 'disposition',
      role: true,
      first: 1,
      settled: true,
      batchable: false,
    } as const;
    expect(textOf({ ...disposition, state: bytes })).toBe(
      `disposition role=receiver first=1 settled=true state=${shown}`,
    );
  });
});

describe('the details of a link', () => {
  it('are its filters and capabilities', () => {
    const filter = amqp.map([
      [
        amqp.symbol('com.microsoft:session-filter'),
        amqp.described(amqp.symbol('com.microsoft:session-filter'), amqp.string('blue')),
      ],
    ]);
    const source = encoded((writer) => {
      writer.bytes(Buffer.from('005328', 'hex'));
      writer.compound32(0xd0, () => {
        for (const part of [str('orders'), ...new Array<Buffer>(6).fill(NULL)]) writer.bytes(part);
        writer.value(filter);
        return 8;
      });
    });
    expect(textOf({ ...ATTACH, source })).toContain(
      'source=orders(filter={com.microsoft:session-filter=blue})',
    );
    const target = encodeCoordinator(['amqp:local-transactions']);
    expect(textOf({ ...ATTACH, target })).toContain(
      'target=coordinator(capabilities=[amqp:local-transactions])',
    );
  });

  it('that cannot be read do not hide the rest', () => {
    expect(textOf({ ...ATTACH, source: str('no source') })).toBe(
      'attach name="a link" handle=0 role=receiver source=unreadable',
    );
  });
});

it('the error of a detach is its condition and description, cut when it is long', () => {
  const error = { condition: 'amqp:not-found', description: 'x'.repeat(5000) };
  const text = textOf({
    kind: 'detach',
    handle: 1,
    closed: true,
    error: encoded((writer) => encodeError(writer, error)),
  });
  expect(text).toBe(`detach handle=1 closed=true error=amqp:not-found "${'x'.repeat(100)}..."`);
});

it('a line feed of a client makes no second line', () => {
  expect(textOf({ ...ATTACH, name: 'a\nb' })).toContain('name="a\\nb"');
});

describe('a secret', () => {
  it('in SASL is shown by its size', () => {
    const initialResponse = Buffer.from('\0sender\0the-secret-key');
    expect(textOf({ kind: 'sasl-init', mechanism: 'PLAIN', initialResponse, hostname: 'localhost' })).toBe(
      'sasl-init mechanism=PLAIN initial-response=(22 bytes) hostname=localhost',
    );
    expect(textOf({ kind: 'sasl-response', response: initialResponse })).toBe(
      'sasl-response response=(22 bytes)',
    );
  });

  it.each([
    'SharedAccessSignature sr=x&sig=abc&se=1&skn=n',
    'eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJ4In0.c2ln',
    'Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=k',
    'Bearer abc',
  ])('that a client puts where it does not belong, such as %s, is hidden', (secret) => {
    const properties = amqp.map([[amqp.symbol('token'), amqp.string(secret)]]);
    const source = described(smallUlong(0x28), list([str(secret)]));
    expect(textOf({ ...ATTACH, name: secret, source, properties })).toBe(
      'attach name=(hidden) handle=0 role=receiver source=(hidden) properties={token=(hidden)}',
    );
  });
});
