// Something that is made by whoever asks first, kept for all others, and made again when that failed or it is of no more use.

export function renewed<Value>(
  make: () => Promise<Value>,
  isOver: (made: Value) => boolean = () => false,
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
    return isOver(value) ? makeAgain() : value;
  };
}
