// The trace in the application properties of a message.

import { expect, test } from 'vitest';
import { encodeMessage } from '../../src/content/encode-message.js';
import { NO_PROPERTIES } from '../../src/content/message-parts.js';
import { traceContextOf } from '../../src/content/trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}-01`;
const OTHER = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;

function contextOf(properties: Readonly<Record<string, string>>) {
  const applicationProperties = Object.entries(properties).map(([name, value]) => ({ name, value }));
  const parts = { properties: NO_PROPERTIES, applicationProperties, body: new Uint8Array() };
  return traceContextOf(encodeMessage(parts, 0));
}

test.each([
  ['Diagnostic-Id', { 'Diagnostic-Id': PARENT }, { spanId: SPAN, traceFlags: 1, traceState: undefined }],
  ['traceparent before it', { 'Diagnostic-Id': OTHER, traceparent: PARENT }, { spanId: SPAN }],
  ['tracestate', { traceparent: PARENT, tracestate: 'a=1' }, { traceState: 'a=1' }],
  ['flags', { traceparent: PARENT.replace(/01$/, '00') }, { traceFlags: 0 }],
  ['a later version', { traceparent: `01${PARENT.slice(2)}-more` }, { spanId: SPAN }],
])('the trace of a message is read from %s', (_, properties, expected) => {
  expect(contextOf(properties)).toMatchObject({ traceId: TRACE, ...expected });
});

test.each([
  ['no properties', {}],
  ['an id of the hierarchical form', { 'Diagnostic-Id': '|4bf92f35.1.' }],
  ['the forbidden version', { traceparent: `ff${PARENT.slice(2)}` }],
  ['zeros for a trace', { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` }],
  ['zeros for a span', { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` }],
  ['an empty text', { traceparent: '' }],
])('a message with %s has no trace', (_, properties) => {
  expect(contextOf(properties)).toBeUndefined();
});
