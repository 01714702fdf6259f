// One buffer into which all plain AMQP sockets are read, because Node otherwise makes 64 KiB of garbage with each read.

import { Socket, type SocketConstructorOpts } from 'node:net';

/**
 * Twice as much as Node itself reads at once: fewer reads end within a frame, whose beginning is then copied. A client may exceed its
 * share of the budget by one read.
 */
const READ_BYTES = 128 * 1024;

/** An open connection as Node's sockets hold it. `server.listen` and `child_process` take sockets apart in the same way. */
type Handle = { readonly useUserBuffer?: unknown };
type WithHandle = { _handle?: Handle | null };

export class ReadBuffer {
  #bytes: Buffer | undefined;

  /**
   * Returns a socket for the same client that is read into this buffer. What its `data` event brings is valid until its listeners return,
   * and less than half of its memory, so that `compacted` copies it. If this Node cannot do that, the socket is returned as it is.
   */
  adopt(accepted: Socket): Socket {
    const owner = accepted as unknown as WithHandle;
    const handle = owner._handle;
    if (typeof handle?.useUserBuffer !== 'function') return accepted;
    const early = allOf(accepted);
    owner._handle = null;
    const socket = new Socket({
      handle,
      onread: {
        buffer: this.#memory(),
        callback: (byteCount: number, bytes: Buffer) => socket.emit('data', bytes.subarray(0, byteCount)),
      },
    } as SocketConstructorOpts);
    if (early.length > 0) socket.unshift(early);
    // A client that goes while its port waits has ended this one already.
    accepted.once('end', () => socket.push(null));
    // The port counts the accepted socket, and closes it by force.
    socket.once('close', () => accepted.destroy());
    accepted.once('close', () => socket.destroy());
    return socket;
  }

  #memory(): Buffer {
    this.#bytes ??= Buffer.allocUnsafeSlow(2 * READ_BYTES + 1).subarray(0, READ_BYTES);
    return this.#bytes;
  }
}

/** Takes what a socket has read: several segments, if its port waited. `read` returns one of them, or all, as the version of Node is. */
function allOf(socket: Socket): Buffer {
  const segments: Buffer[] = [];
  for (let next = socket.read(); next !== null; next = socket.read()) segments.push(next);
  return Buffer.concat(segments);
}
