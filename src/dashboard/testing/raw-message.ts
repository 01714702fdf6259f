// Stored messages as the interface answers them, with the bytes of their body.

import type { RawMessageAnswer } from '../../http/control/control-schemas.js';

type Parts = {
  readonly body: RawMessageAnswer['body'];
  /** The sections by name, each with its bytes. */
  readonly sections?: readonly (readonly [name: string, bytes: Uint8Array])[];
};

export function rawMessage(
  { body, sections = [] }: Parts,
  change: Partial<RawMessageAnswer> = {},
): RawMessageAnswer {
  let at = 0;
  const places = sections.map(([name, bytes]) => {
    const start = at;
    at += bytes.length;
    return { name, start, end: at };
  });
  const base64 = Buffer.concat(sections.map(([, bytes]) => bytes)).toString('base64');
  return {
    sequenceNumber: 7,
    state: 'active',
    enqueuedTime: '2026-05-01T12:00:00.000Z',
    deliveryCount: 0,
    ...{ sizeBytes: at, hopCount: 0, properties: {}, applicationProperties: {}, annotations: {} },
    ...{ body, raw: { base64, sections: places } },
    ...change,
  };
}

/** A data section: its descriptor, and a binary with one or with four bytes of length. */
export function dataSection(bytes: Uint8Array): readonly [string, Uint8Array] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  const head = bytes.length < 256 ? [0xa0, bytes.length] : [0xb0, ...length];
  return ['data', Buffer.concat([Buffer.from([0x00, 0x53, 0x75, ...head]), bytes])];
}

/** A message whose body is bytes that are no text. */
export function bytesMessage(bytes: Uint8Array): RawMessageAnswer {
  const base64 = Buffer.from(bytes).toString('base64');
  const body = { kind: 'base64', section: 'data', sizeBytes: bytes.length, base64 } as const;
  return rawMessage({ body, sections: [dataSection(bytes)] });
}
