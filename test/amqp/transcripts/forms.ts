// The form of the server's answers that every SDK relies on, whatever is in them.

import { expect } from 'vitest';
import type { Frame } from '../../support/frame-channel.js';
import { type Decoded, decode } from '../../support/frame-decoder.js';
import { type Fields, readList } from '../../support/frame-lists.js';
import { notation } from '../../support/frame-notation.js';

const ROLE = { sender: false, receiver: true } as const;

/** pyamqp reads `properties` by position; rhea, .NET and pyamqp want a max-frame-size. */
export function expectOpenForm(open: Frame): void {
  expect(open.positions).toHaveLength(10);
  expect(open.field('containerId')?.type).toBe('string');
  expect(open.field('maxFrameSize')?.type).toBe('uint');
  expect(Number(open.field('maxFrameSize')?.value)).toBeGreaterThanOrEqual(512);
  expect(open.field('channelMax')?.type).toBe('ushort');
  expect(open.field('idleTimeOut')?.type).toBe('uint');
  expect(open.field('properties')?.type).toBe('map');
}

export function expectBeginForm(begin: Frame, channel: number): void {
  expect(begin.positions).toHaveLength(8);
  expect(notation(begin.field('remoteChannel'))).toBe(`ushort ${channel}`);
  for (const name of ['nextOutgoingId', 'incomingWindow', 'outgoingWindow']) {
    expect(begin.field(name)?.type).toBe('uint');
  }
  expect(begin.field('properties')?.type).toBe('map');
}

/** A link that was accepted: the address goes back as it came, and the settle modes that were asked for. */
export function expectAttachForm(attach: Frame, asked: Fields<'attach'>): void {
  const clientSends = notation(decode(asked.role ?? Buffer.of(0x42))) === String(ROLE.sender);
  expect(attach.positions).toHaveLength(14);
  expect(notation(attach.field('name'))).toBe(notation(asked.name && decode(asked.name)));
  expect(notation(attach.field('role'))).toBe(String(clientSends ? ROLE.receiver : ROLE.sender));
  expect(attach.field('properties')?.type).toBe('map');
  for (const mode of ['sndSettleMode', 'rcvSettleMode'] as const) {
    if (asked[mode] !== undefined) expect(notation(attach.field(mode))).toBe(notation(decode(asked[mode])));
  }
  expect(addressOf(attach.field('source'))).toBe(addressOf(asked.source && decode(asked.source)));
  expect(addressOf(attach.field('target'))).toBe(addressOf(asked.target && decode(asked.target)));
  if (clientSends) {
    expect(attach.field('maxMessageSize')?.type).toBe('ulong');
    expect(Number(attach.field('maxMessageSize')?.value)).toBeGreaterThan(0);
  } else {
    expect(attach.field('initialDeliveryCount')?.type).toBe('uint');
  }
}

/** A link that was not accepted: no termini, but the same fourteen fields. */
export function expectRefusedAttachForm(attach: Frame): void {
  expect(attach.positions).toHaveLength(14);
  expect(notation(attach.field('source'))).toBe('null');
  expect(notation(attach.field('target'))).toBe('null');
  expect(attach.field('properties')?.type).toBe('map');
}

/** Settled by the server, in one word. */
export function expectSettled(
  disposition: Frame,
  { role, state }: { role: keyof typeof ROLE; state: string },
): void {
  expect(notation(disposition.field('role'))).toBe(String(ROLE[role]));
  expect(notation(disposition.field('settled'))).toBe('true');
  expect(outcomeText(disposition)).toBe(state);
}

/** The outcome with its trailing nulls left out, as they say nothing. */
function outcomeText(disposition: Frame): string {
  const { name, positions } = readList(disposition.field('state'));
  const length = positions.findLastIndex(({ type }) => type !== 'null') + 1;
  return `${name}[${positions.slice(0, length).map(notation).join(', ')}]`;
}

/** `condition` of a `rejected` that reports a failure. */
export function rejectionOf(disposition: Frame): { condition: string; description: string } {
  const error = readList(readList(disposition.field('state')).field('error'));
  return {
    condition: notation(error.field('condition')),
    description: String(error.field('description')?.value),
  };
}

/** As it was written; a terminus that is not there and one without an address come to the same. */
function addressOf(terminus: Decoded | undefined): string {
  const address = terminus?.type === 'described' ? readList(terminus).field('address') : terminus;
  return address === undefined ? 'null' : notation(address);
}
