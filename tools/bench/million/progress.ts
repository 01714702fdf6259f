// A long piece of work that tells how far it is, and gives up when nothing has happened for a while.

export type ProgressOptions = {
  readonly goal: number;
  /** Hears of every tenth. */
  readonly tell: (line: string) => void;
  readonly what: string;
};

const STALL_LIMIT_MS = 60_000;

export class Progress {
  /** Resolves at the goal; rejects with what `fail` was told, or when nothing has been added for a minute. */
  readonly finished: Promise<void>;
  readonly #options: ProgressOptions;
  #count = 0;
  #toldTenths = 0;
  #resolve = () => {};
  #reject = (_: Error) => {};
  readonly #stall: NodeJS.Timeout;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.finished = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }).finally(() => clearTimeout(this.#stall));
    this.#stall = setTimeout(() => this.fail(new Error(this.#describe('stopped at'))), STALL_LIMIT_MS);
  }

  add(count: number): void {
    this.#count += count;
    this.#stall.refresh();
    const { goal, tell } = this.#options;
    const tenths = Math.floor((this.#count * 10) / goal);
    if (tenths > this.#toldTenths) {
      this.#toldTenths = tenths;
      tell(this.#describe(''));
    }
    if (this.#count >= goal) this.#resolve();
  }

  fail(error: Error): void {
    this.#reject(error);
  }

  #describe(verb: string): string {
    const { what, goal } = this.#options;
    const words = [what, verb, this.#count.toLocaleString('en'), 'of', goal.toLocaleString('en')];
    return words.filter((word) => word !== '').join(' ');
  }
}
