// Takes and restores snapshots of a running emulator: the broker's rows, with the bytes of their contents.

import { setTimeout as pause } from 'node:timers/promises';
import type { Broker } from './broker/broker.js';
import { ContentUnreadable } from './broker/contract/content-unreadable.js';
import type { StoredEvent } from './broker/contract/event.js';
import type { Result } from './broker/contract/result.js';
import { ServiceBusError } from './broker/contract/service-bus-error.js';
import type { Snapshot } from './broker/contract/snapshot.js';
import type { Engine } from './engine/engine.js';
import type { SnapshotWithContents } from './journal/snapshot-file.js';

type Contents = Map<number, Uint8Array>;

/** The pause before another attempt while copies of a topic's message are being made. They are made within seconds. */
const BUSY_PAUSE_MS = 5;
const MAX_ATTEMPTS = 2000;

export class Snapshots {
  readonly #engine: Engine;
  readonly #makeBroker: () => Broker;

  constructor(engine: Engine, makeBroker: () => Broker) {
    this.#engine = engine;
    this.#makeBroker = makeBroker;
  }

  /** Rejects with a ServiceBusError. */
  async take(): Promise<Uint8Array> {
    const { encodeSnapshot } = await import('./journal/snapshot-file.js');
    for (let attempt = 1; ; attempt++) {
      const taken = await this.#takeOnce().catch((error: unknown) => {
        const isBusy = error instanceof ServiceBusError && error.reason === 'server-busy';
        if (!isBusy || attempt >= MAX_ATTEMPTS) throw error;
      });
      if (taken !== undefined) return encodeSnapshot(taken);
      await pause(BUSY_PAUSE_MS);
    }
  }

  /** Resolves with the number of messages. Rejects with a JitneyError for bytes that are no snapshot, and otherwise with a ServiceBusError. */
  async restore(bytes: Uint8Array): Promise<number> {
    const { decodeSnapshot, damaged } = await import('./journal/snapshot-file.js');
    const command = { kind: 'restore-snapshot', ...decodeSnapshot(bytes) } as const;
    // A broker of its own finds what rows can hide, such as a filter that cannot be parsed. The running one must not.
    try {
      this.#makeBroker().restore(command.snapshot.stored);
    } catch (error) {
      throw damaged(error instanceof Error ? error.message : String(error));
    }
    const result = await this.#ask(command);
    return result.kind === 'restored' ? result.count : 0;
  }

  /** Undefined if a content cannot be read: its message has become a dead letter by then. */
  async #takeOnce(): Promise<SnapshotWithContents | undefined> {
    const reading: { contents?: Promise<Contents | undefined> } = {};
    const result = await this.#ask({ kind: 'take-snapshot' }, (answered) => {
      if (answered.kind === 'snapshot') reading.contents = this.#readContents(answered.snapshot);
    });
    const contents = await reading.contents;
    if (result.kind !== 'snapshot' || contents === undefined) return undefined;
    return { snapshot: result.snapshot, contents };
  }

  /** Must be called before the next turn is handed out: until then the contents are there. */
  async #readContents({ stored }: Snapshot): Promise<Contents | undefined> {
    const reads = new Map<number, Promise<Uint8Array | undefined>>();
    for (const event of stored) {
      const contentId = contentIdOf(event);
      if (contentId !== undefined && !reads.has(contentId))
        reads.set(contentId, this.#read(event, contentId));
    }
    const contents: Contents = new Map();
    await Promise.all([...reads.values()]);
    for (const [contentId, read] of reads) {
      const content = await read;
      if (content === undefined) return undefined;
      contents.set(contentId, content);
    }
    return contents;
  }

  #read(event: StoredEvent, contentId: number): Promise<Uint8Array | undefined> {
    if (event.kind === 'message-put') {
      const { storeId, message } = event;
      return this.#engine.readMessage({ contentId, storeId, properties: message });
    }
    return this.#engine.readContent(contentId).catch((error: unknown) => {
      if (!(error instanceof ContentUnreadable)) throw error;
      const text = `The state of a session cannot be read: ${error.seen}. Set it again or clear it, then take the snapshot.`;
      throw new ServiceBusError('message-not-found', text);
    });
  }

  /** The result of a command. `answered` is called with it before any other turn is handed out. Rejects if it is refused, or the engine fails. */
  #ask(
    command: Parameters<Engine['submit']>[0],
    answered: (result: Result) => void = () => {},
  ): Promise<Result> {
    const answer = new Promise<Result>((resolve, reject) => {
      const completed = (_tag: number, result: Result) => {
        if (result.kind === 'failed') throw result.error;
        answered(result);
        resolve(result);
      };
      this.#engine.submit(command, { completed, faulted: reject }, 0);
    });
    return Promise.race([answer, this.#engine.failed]);
  }
}

function contentIdOf(event: StoredEvent): number | undefined {
  if (event.kind === 'message-put') return event.message.contentId;
  return event.kind === 'session-state-put' ? event.state.contentId : undefined;
}
