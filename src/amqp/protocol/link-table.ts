// The attached links of an AMQP session by the peer's handle and by name and role, our free handles, and the checks of an attach
// (AMQP 2.6, 2.7.3).

import { DecodeError } from '../../codec/decode-error.js';
import type { AmqpError, Attach } from '../../codec/performatives.js';
import { decodeTerminus } from '../../codec/terminus.js';
import { MAX_ADDRESS_LENGTH, MAX_LINK_NAME_LENGTH, tooLong } from '../../codec/text-limits.js';
import { answerBytes } from './link-attachment.js';
import { ProtocolError } from './protocol-error.js';
import type { ReceiverLink } from './receiver-link.js';
import type { SenderLink } from './sender-link.js';

export type Link = SenderLink | ReceiverLink;

type Naming = Pick<Attach, 'name' | 'role'>;

export const MAX_HANDLE = 0xffff;

export class LinkTable {
  readonly #byRemoteHandle = new Map<number, Link>();
  readonly #names = new Set<string>();
  #freed: number[] = [];
  /** Removed links that still have their handle. */
  #heldCount = 0;

  get(remoteHandle: number): Link | undefined {
    return this.#byRemoteHandle.get(remoteHandle);
  }

  /** Links by name and role: two links may share a name, one in each direction (AMQP 2.6.1). */
  hasName(naming: Naming): boolean {
    return this.#names.has(keyOf(naming));
  }

  /** Returns the lowest free handle, so that ours never exceed a handle-max that suffices for the peer's own links. */
  takeHandle(): number {
    return this.#freed.pop() ?? this.#byRemoteHandle.size + this.#heldCount;
  }

  add(link: Link): void {
    this.#byRemoteHandle.set(link.attach.handle, link);
    this.#names.add(keyOf(link.attach));
  }

  /** A link whose detach is answered later keeps its handle until `freeHandle`. */
  remove(link: Link): void {
    this.#byRemoteHandle.delete(link.attach.handle);
    this.#names.delete(keyOf(link.attach));
    if (link.attachment.answersLater && link.attachment.isOpen) this.#heldCount += 1;
    else this.#freed.push(link.attachment.localHandle);
  }

  freeHandle(localHandle: number): void {
    this.#heldCount -= 1;
    this.#freed.push(localHandle);
  }

  all(): Iterable<Link> {
    return this.#byRemoteHandle.values();
  }

  /** Empties the table. */
  takeAll(): Link[] {
    const links = [...this.#byRemoteHandle.values()];
    this.#byRemoteHandle.clear();
    this.#names.clear();
    this.#freed = [];
    return links;
  }
}

/** Checks an attach. Throws ProtocolError when the session or the connection must end because of it. */
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
  const nameProblem = tooLong('The name of a link', name, MAX_LINK_NAME_LENGTH);
  // A refused link would keep its name until the peer detaches it.
  if (nameProblem !== undefined) throw new ProtocolError('session', 'amqp:invalid-field', nameProblem);
  if (links.hasName(attach)) {
    throw new ProtocolError('session', 'amqp:session:handle-in-use', `link ${name} is attached already`);
  }
  // The answer repeats name and termini and must fit into one frame.
  const bytes = answerBytes({ name, source, target });
  if (bytes > maxFrameSize) {
    throw new ProtocolError(
      'session',
      'amqp:frame-size-too-small',
      `the answer to an attach takes ${bytes} bytes and does not fit into a frame`,
    );
  }
}

/** The error for a terminus that cannot be decoded or has a long address; undefined when both are good. */
export function findTerminusError({ source, target }: Attach): AmqpError | undefined {
  try {
    for (const terminus of [decodeTerminus(source), decodeTerminus(target)]) {
      const { kind, address = '' } = terminus ?? {};
      const description = tooLong(`The address of the ${kind}`, address, MAX_ADDRESS_LENGTH);
      if (description !== undefined) return { condition: 'amqp:invalid-field', description };
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { condition: error.condition, description: error.message };
  }
}

function keyOf({ name, role }: Naming): string {
  return `${role ? 'receiver' : 'sender'} ${name}`;
}
