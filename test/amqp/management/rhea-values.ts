// Values as the JavaScript SDK writes and reads them: by rhea's own wrapping and unwrapping.

import { createRequire } from 'node:module';
import type { Encoded } from '../../support/frame-encoder.js';

/** As rhea keeps what it has decoded. */
export type Typed = { readonly value: unknown; readonly descriptor?: Typed };

type RheaTypes = {
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer };
  wrap(value: unknown): Typed;
  wrap_int(value: number): Typed;
};
type RheaMessage = { decode(bytes: Buffer): { readonly body: unknown } };

const require = createRequire(import.meta.url);
const types = require('rhea/lib/types.js') as RheaTypes;
const message = require('rhea/lib/message.js') as RheaMessage;

/** The body of a request, from the object that the SDK gives to rhea. */
export function writtenByRhea(body: Readonly<Record<string, unknown>>): Encoded {
  const writer = new types.Writer();
  writer.write(types.wrap(body));
  return writer.toBuffer();
}

export function rheaInt(value: number): Typed {
  return types.wrap_int(value);
}

/** The body of a response as the SDK sees it: maps are objects, what is described stays typed. */
export function bodyReadByRhea(response: Buffer): unknown {
  return message.decode(response).body;
}
