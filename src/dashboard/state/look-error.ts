// The errors of what the page reads by itself, of which few are worth a line.

import { ApiError } from './api.js';
import { sayError } from './said.js';

/** Says an error, unless the screen that asked has gone, or nobody answers: the strip says that. */
export function sayLookError(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  if (error instanceof ApiError && error.status === 0) return;
  sayError(error);
}
