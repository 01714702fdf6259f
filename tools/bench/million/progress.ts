// A long piece of work that tells every tenth of it, and gives up when nothing has happened for a minute.

export type ProgressOptions = {
  readonly goal: number;
  readonly tell: (line: string) => void;
  readonly what: string;
};

const STALL_LIMIT_MS = 60_000;

export class Progress {
  /** Resolves at the goal; rejects with what `fail` was told, or when nothing has been added for a minute. */
  readonly finished: Promise<void>;
  readonly #options: ProgressOptions;
  readonly #stall = setTimeout(() => this.fail(new Error(`stopped: ${this.#describe()}`)), STALL_LIMIT_MS);
  #resolve = () => {};
  #reject = (_: Error) => {};
  #count = 0;
  #toldTenths = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.finished = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }).finally(() => clearTimeout(this.#stall));
  }

  add(count: number): void {
    this.#count += count;
    this.#stall.refresh();
    const { goal, tell } = this.#options;
    const tenths = Math.floor((this.#count * 10) / goal);
    if (tenths > this.#toldTenths) {
      this.#toldTenths = tenths;
      tell(this.#describe());
    }
    if (this.#count >= goal) this.#resolve();
  }

  fail(error: Error): void {
    this.#reject(error);
  }

  #describe(): string {
    const { what, goal } = this.#options;
    return `${what} ${this.#count.toLocaleString('en')} of ${goal.toLocaleString('en')}`;
  }
}
