// Errors that point to the line of the test: they are made later, when nothing of the test is on the stack any more.

/** Gives the error the stack that `Error.captureStackTrace` has written to `at`. */
export function withStackOf(error: Error, { stack = '' }: { readonly stack?: string }): Error {
  error.stack = `${error.name}: ${error.message}\n${stack.slice(stack.indexOf('\n') + 1)}`;
  return error;
}
