// One request with what has been found out about it.

import type { Asked } from './error-response.js';

export type HttpCall = {
  readonly request: Request;
  readonly url: URL;
  /** The names of its path, decoded; none: the namespace itself. */
  readonly path: readonly string[];
  readonly asked: Asked;
  /** Of its headers, as the client spelled them; undefined: nobody knows, and they are in lower case. */
  readonly headerNames?: readonly string[] | undefined;
};

/** What a `Request` no longer knows of what came over the wire. */
export type AsSent = {
  readonly headerNames: readonly string[];
  /** What was asked for, with its `..`. */
  readonly target: string;
};
