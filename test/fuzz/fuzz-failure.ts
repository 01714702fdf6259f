// What is said when a fuzzed input found a bug: everything needed to send it again.

export type FailurePlace = {
  readonly target: 'endpoint' | 'server';
  readonly seed: number;
  /** The one input at fault, or all that were under way when it could not be told which one it was. */
  readonly inputs: readonly Buffer[];
};

export class FuzzFailure extends Error {
  constructor({ target, seed, inputs }: FailurePlace, cause: unknown) {
    const said = inputs.map((input) => `npm run measure -- fuzz --input ${input.toString('hex')}`);
    super(`${target}, seed ${seed}: ${describe(cause)}\n${said.join('\n')}`, { cause });
    this.name = 'FuzzFailure';
  }
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined ? cause.message : `${cause.message}: ${describe(cause.cause)}`;
}
