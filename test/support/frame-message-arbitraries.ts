// Random AMQP messages: any sections, any of their three descriptors, any fields, any values.

import fc from 'fast-check';
import {
  anyBinary,
  anyEntries,
  anyList,
  anyPropertyValue,
  anyStringKey,
  anySymbolKey,
  anyValue,
} from './frame-arbitraries.js';
import {
  big,
  bin,
  described,
  type Encoded,
  fixed,
  list,
  map,
  NULL,
  str,
  sym,
  ulong,
  uuid,
} from './frame-encoder.js';
import { type SectionName, sectionDescriptors } from './frame-message.js';

const NOTHING = Buffer.alloc(0);
const bytes = (count: number) => fc.uint8Array({ minLength: count, maxLength: count });
const text = fc.string({ unit: 'binary', maxLength: 30 }).map(str);
const symbol = fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map(sym);
const truth = fc.constantFrom(fixed(0x41), fixed(0x42), fixed(0x56, Buffer.of(1)), fixed(0x56, Buffer.of(0)));
const instant = fc.nat().map((seconds) => fixed(0x83, big(seconds * 1000, 8)));
const never = fc.constant(NULL);
const messageId = fc.oneof(
  text,
  bytes(16).map(uuid),
  bytes(8).map((body) => fixed(0x80, body)),
  fc.nat(255).map(ulong),
  bytes(12).map(bin),
);

// Time to live and expiry follow rules of their own, so they are left out of both lists.
const header = fieldList([
  truth,
  fc.nat(255).map((priority) => fixed(0x50, Buffer.of(priority))),
  never,
  truth,
  fc.nat(9).map((deliveryCount) => fixed(0x52, Buffer.of(deliveryCount))),
]);
const properties = fieldList([
  messageId,
  anyBinary,
  text,
  text,
  text,
  messageId,
  symbol,
  symbol,
  never,
  instant,
  text,
  bytes(4).map((groupSequence) => fixed(0x70, groupSequence)),
  text,
]);
const annotations = anyEntries(anySymbolKey, anyValue).map(map);
const applicationProperties = anyEntries(anyStringKey, anyPropertyValue).map(map);

const body = fc.oneof(
  several(section('data', anyBinary)),
  several(section('sequence', anyList)),
  section('value', anyValue),
);

export const anyMessage: fc.Arbitrary<Buffer> = fc
  .tuple(
    optional(section('header', header)),
    optional(section('deliveryAnnotations', annotations)),
    optional(section('messageAnnotations', annotations)),
    optional(section('properties', properties)),
    optional(section('applicationProperties', applicationProperties)),
    body,
    optional(section('footer', annotations)),
  )
  .map((sections) => Buffer.concat(sections));

/** A list that may end anywhere, each field a value or null. */
function fieldList(fields: readonly fc.Arbitrary<Encoded>[]): fc.Arbitrary<Encoded> {
  const items = fc.tuple(...fields.map((field) => fc.option(field, { nil: NULL })));
  const isWide = fc.boolean();
  return fc
    .tuple(items, fc.nat(fields.length), isWide)
    .map(([each, length, form]) => list(each.slice(0, length), form));
}

function section(name: SectionName, value: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  return fc
    .tuple(fc.constantFrom(...sectionDescriptors(name)), value)
    .map(([descriptor, content]) => described(descriptor, content));
}

function several(sections: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  return fc.array(sections, { minLength: 1, maxLength: 3 }).map((each) => Buffer.concat(each));
}

function optional(sections: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  return fc.option(sections, { nil: NOTHING, freq: 2 });
}
