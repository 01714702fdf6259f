// The three-valued logic of conditions: true, false or unknown.

/** Undefined for unknown. */
export type Truth = boolean | undefined;

// SQL-09: NOT of unknown is unknown
export function negate(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

/**
 * AND (`decisive` is false) or OR (true) of tests. They stop at the first operand that decides, from left to right, so that a condition
 * can guard the next. SQL-09: the first false operand decides AND, the first true one decides OR; otherwise unknown wins.
 */
export function chain<Message>(
  tests: readonly ((message: Message) => Truth)[],
  decisive: boolean,
): (message: Message) => Truth {
  return (message) => {
    let result: Truth = !decisive;
    for (const test of tests) {
      const truth = test(message);
      if (truth === decisive) return decisive;
      if (truth === undefined) result = undefined;
    }
    return result;
  };
}
