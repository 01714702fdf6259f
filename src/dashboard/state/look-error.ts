// The errors of what the page reads by itself, of which few are worth a line.

import { ApiError } from './api.js';
import { isAbort } from './notices.js';
import { sayError } from './said.js';

/** Says an error, unless the screen that asked has gone, or nobody answers: the banner says that. */
export function sayLookError(error: unknown): void {
  if (isAbort(error)) return;
  if (error instanceof ApiError && error.status === 0) return;
  sayError(error);
}
