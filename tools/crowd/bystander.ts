// A client that harms nobody: it sends a message to its own queue, receives it, and notes how long that took, again and again.

import rhea from 'rhea';
import { QUANTILES } from './row.js';

const PAUSE_MS = 2;

export type Waits = { readonly count: number; readonly p99Ms: number; readonly longestMs: number };

export class Bystander {
  readonly #connection: rhea.Connection;
  readonly #sender: rhea.Sender;
  #sentAt = 0;
  #waitsMs: number[] = [];

  private constructor(port: number, queue: string) {
    const container = rhea.create_container();
    this.#connection = container.connect({ host: '127.0.0.1', port, username: 'any', password: 'any' });
    this.#sender = this.#connection.open_sender(queue);
    this.#connection.open_receiver(queue).on('message', () => {
      this.#waitsMs.push(performance.now() - this.#sentAt);
      setTimeout(() => this.#send(), PAUSE_MS);
    });
  }

  static async open(port: number, queue: string): Promise<Bystander> {
    const bystander = new Bystander(port, queue);
    await new Promise((resolve) => bystander.#sender.once('sendable', resolve));
    bystander.#send();
    return bystander;
  }

  #send(): void {
    this.#sentAt = performance.now();
    this.#sender.send({ body: 'x' });
  }

  /** The waits since the last call, the one that has not ended included. */
  take(): Waits {
    const waitsMs = [...this.#waitsMs, performance.now() - this.#sentAt].sort((a, b) => a - b);
    this.#waitsMs = [];
    const at = (part: number) => waitsMs[Math.floor((waitsMs.length - 1) * part)] ?? 0;
    return { count: waitsMs.length, p99Ms: at(QUANTILES.p99), longestMs: at(1) };
  }

  close(): void {
    this.#connection.close();
  }
}
