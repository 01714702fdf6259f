// Memoizes an async factory; retries after failure or expiry.

export function memoizeAsync<Value>(
  make: () => Promise<Value>,
  isExpired: (value: Value) => boolean = () => false,
): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  const makeAgain = () => {
    const making = make();
    made = making;
    making.catch(() => {
      made = undefined;
    });
    return making;
  };
  return async () => {
    const value = await (made ?? makeAgain());
    return isExpired(value) ? makeAgain() : value;
  };
}
