// Reads the trace to which a message belongs, as its sender has written it into the application properties.

import { asBuffer } from '../codec/types.js';
import { endOfValue, equalsTextAt, firstItem, textAt } from './encoded-values.js';
import { findHead } from './sections.js';

/** A place in a trace: the span of the sender in which it made the message. */
export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly traceFlags: number;
  /** The sender's `tracestate`, as it wrote it. */
  readonly traceState: string | undefined;
};

/** The SDKs write `Diagnostic-Id`, the newer ones `traceparent` as well; other senders write `traceparent` alone. */
const PARENT = Buffer.from('traceparent');
const DIAGNOSTIC_ID = Buffer.from('Diagnostic-Id');
const STATE = Buffer.from('tracestate');

/** https://www.w3.org/TR/trace-context/#traceparent-header; later versions may add fields at the end. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const HEXADECIMAL = 16;

/** Undefined for a message without a trace, and for an id in a form that is not that of the W3C. `content` has passed `readMessage`. */
export function traceContextOf(content: Uint8Array): TraceContext | undefined {
  const bytes = asBuffer(content);
  const section = findHead(bytes).applicationProperties;
  if (section === undefined) return undefined;
  let parent: string | undefined;
  let diagnosticId: string | undefined;
  let state: string | undefined;
  for (let key = firstItem(bytes, section.value); key < section.end; ) {
    const value = endOfValue(bytes, key);
    if (equalsTextAt(bytes, key, PARENT)) parent = textAt(bytes, value);
    else if (equalsTextAt(bytes, key, DIAGNOSTIC_ID)) diagnosticId = textAt(bytes, value);
    else if (equalsTextAt(bytes, key, STATE)) state = textAt(bytes, value);
    key = endOfValue(bytes, value);
  }
  return contextIn(parent, state) ?? contextIn(diagnosticId, state);
}

function contextIn(text: string | undefined, traceState: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, HEXADECIMAL), traceState };
}
