// What is wrong with an attach, before anybody is told of the link: its handle, its name, its size, its termini (AMQP 2.6, 2.7.3).

import { DecodeError } from '../../codec/decode-error.js';
import type { AmqpError, Attach } from '../../codec/performatives.js';
import { decodeTerminus } from '../../codec/terminus.js';
import type { LinkTable } from './link-table.js';
import { ProtocolError } from './protocol-error.js';

export const MAX_HANDLE = 0xffff;
/** What an attach has besides its name and termini, and room for what the owner of the link adds. */
const OVERHEAD_BYTES = 192;

/** Throws ProtocolError when the session, or the connection, cannot go on after it. */
export function checkAttach(attach: Attach, links: LinkTable, maxFrameSize: number): void {
  const { name, handle, source, target } = attach;
  if (handle > MAX_HANDLE) {
    throw new ProtocolError(
      'connection',
      'amqp:connection:framing-error',
      `handle ${handle} is above ${MAX_HANDLE}`,
    );
  }
  if (links.get(handle) !== undefined) {
    throw new ProtocolError('session', 'amqp:session:handle-in-use', `handle ${handle} is attached already`);
  }
  if (links.hasName(attach)) {
    throw new ProtocolError('session', 'amqp:session:handle-in-use', `link ${name} is attached already`);
  }
  // The answer repeats them and must fit into one frame.
  const bytes = answerBytes({ name, source, target });
  if (bytes > maxFrameSize) {
    throw new ProtocolError(
      'session',
      'amqp:frame-size-too-small',
      `the answer to an attach takes ${bytes} bytes and does not fit into a frame`,
    );
  }
}

/** At most, with what the owner of the link adds. */
export function answerBytes({ name, source, target }: Pick<Attach, 'name' | 'source' | 'target'>): number {
  return Buffer.byteLength(name) + (source?.length ?? 0) + (target?.length ?? 0) + OVERHEAD_BYTES;
}

/** Why a link must be refused whoever owns it; undefined when both of its termini can be decoded. */
export function findTerminusError({ source, target }: Attach): AmqpError | undefined {
  try {
    decodeTerminus(source);
    decodeTerminus(target);
    return undefined;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { condition: error.condition, description: error.message };
  }
}
