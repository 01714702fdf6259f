// What becomes of an exception that a front end throws while it is told something.

/** A requester or a sink. */
export type Told = {
  faulted?(cause: unknown): void;
};

/** Throws the cause again when `told` does not know what to do with it: that is then for the whole engine. */
export function reportFault(told: Told, cause: unknown): void {
  if (told.faulted === undefined) throw cause;
  try {
    told.faulted(cause);
  } catch {
    throw cause;
  }
}
