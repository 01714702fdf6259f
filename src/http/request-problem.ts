// A mistake in a request that is found before the broker is asked, as an error with its status.

export class RequestProblem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** The message is a whole sentence: what was wrong, the value seen, what to do. */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'RequestProblem';
    this.status = status;
    this.headers = headers;
  }
}
