// Keeps descriptors free for the journal: without one, it cannot open the file for its next batch, and the emulator fails.
//
// The system gives a new socket the lowest free descriptor. So its number shows that all lower ones are in use: by this emulator, by
// another in the same process, or by the program around them.

import type { Socket } from 'node:net';

/** `full`: there is still a descriptor with which to tell the client. `exhausted`: there is not even that. */
export type Room = 'free' | 'full' | 'exhausted';

/** Reserved for files of LevelDB (64), segments of the journal, and everything else that the process opens. At most half of a low limit. */
const MOST_RESERVED = 160;
/** So many of the reserved descriptors may be used to tell clients that they are refused. */
const PART_FOR_REFUSALS = 1 / 4;
/** Below this number the limit is not looked up, because that takes 5 ms. */
const LEAST_NUMBER = 32;
const LINE_EVERY_MS = 60_000;

export type DescriptorOptions = {
  /** Called at most once a minute, with the numbers and the remedy. */
  readonly onFull: (text: string) => void;
  /** Default: the limit of this process. */
  readonly readLimit?: () => number;
  /** Milliseconds of a steady clock. Default: the machine's. */
  readonly now?: () => number;
};

export class Descriptors {
  readonly #options: DescriptorOptions;
  #limit: number | undefined;
  #refusedCount = 0;
  #nextLineAt = Number.NEGATIVE_INFINITY;

  constructor(options: DescriptorOptions) {
    this.#options = options;
  }

  /** Decides about a socket that was just accepted; `connectionCount` counts it. */
  roomFor(socket: Socket, connectionCount: number): Room {
    const descriptor = descriptorOf(socket);
    if (descriptor < LEAST_NUMBER) return 'free';
    this.#limit ??= (this.#options.readLimit ?? limitOfProcess)();
    const reserved = Math.min(MOST_RESERVED, this.#limit / 2);
    const most = this.#limit - reserved;
    if (descriptor < most) return 'free';
    this.#noteRefused(this.#limit, Math.max(connectionCount - 1, 0));
    return descriptor < most + reserved * PART_FOR_REFUSALS ? 'full' : 'exhausted';
  }

  #noteRefused(limit: number, otherCount: number): void {
    this.#refusedCount++;
    const now = (this.#options.now ?? steadyNow)();
    if (now < this.#nextLineAt) return;
    this.#nextLineAt = now + LINE_EVERY_MS;
    const connections = this.#refusedCount === 1 ? 'a connection' : `${this.#refusedCount} connections`;
    this.#refusedCount = 0;
    this.#options.onFull(
      `Refused ${connections}: ${otherCount} are open, this process may have ${limit} descriptors, and the journal needs the rest. ` +
        'Close clients that are no longer used, or raise the limit before the start: ulimit -n 65536',
    );
  }
}

/** The descriptor of a socket; -1 on Windows, where sockets have none and there is no such limit. */
function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: number } | null };
  return handle?.fd ?? -1;
}

/** The limit of this process; infinite if there is none. */
function limitOfProcess(): number {
  const { report } = process as unknown as { readonly report: ProcessReport };
  // Without this, the report would look up the names of all open sockets' addresses.
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  const soft = report.getReport().userLimits?.open_files?.soft;
  report.excludeNetwork = excludeNetwork;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

/** The part of Node's report that we read; Node's types do not describe it. */
type ProcessReport = {
  excludeNetwork: boolean;
  getReport(): { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } };
};

function steadyNow(): number {
  return performance.now();
}
