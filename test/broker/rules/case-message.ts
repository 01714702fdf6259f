// The message and the parameters that the tables of cases speak about.

import type { RuleParameters } from '../../../src/broker/rules/rule-description.js';
import { binary, type MessageValues, timestamp, uuid } from './rule-message.js';

/** 2026-11-21T10:14:04.250Z */
export const NOON = 1_795_256_044_250;

export const MESSAGE: MessageValues = {
  system: {
    Label: 'sale-bus-1',
    To: 'Store3',
    MessageId: 'm-1',
    SequenceNumber: 7n,
    DeliveryCount: 0n,
    Size: 300n,
    State: 0n,
    TimeToLive: 60_000n,
    EnqueuedTimeUtc: timestamp(NOON),
  },
  user: {
    color: 'blue',
    quantity: 5n,
    negative: -7n,
    zero: 0n,
    big: 9_223_372_036_854_775_807n,
    least: -9_223_372_036_854_775_808n,
    price: 2.5,
    whole: 5,
    nan: Number.NaN,
    infinite: Number.POSITIVE_INFINITY,
    yes: true,
    no: false,
    nothing: null,
    id: uuid(),
    other: uuid('ffffffffffffffffffffffffffffffff'),
    at: timestamp(NOON),
    bytes: binary,
    code: '5',
    empty: '',
    lines: 'one\ntwo\r\n',
    percent: '50% off_now',
    emoji: '😀!',
    pattern: 'b%e',
    bang: '!',
    which: 'color',
    whichSystem: 'sys.Label',
    whichUser: 'USER.Color',
    whichUnknown: 'sys.Colour',
    'Two Words': 2n,
    'a.b': 'dotted',
    'closing]': 'bracket',
    'quo"te': 'quote',
    größe_1: 'XL',
    sys: 'a name',
    p: 'letter',
    newid: 'also a name',
    Mixed: 'first',
    MIXED: 'second',
    Label: 'mine',
  },
};

export const PARAMETERS: RuleParameters = {
  '@text': 'blue',
  '@int': { type: 'int', value: '5' },
  '@long': { type: 'long', value: '9223372036854775807' },
  '@double': { type: 'double', value: '2.5' },
  '@yes': true,
  '@time': { type: 'timestamp', value: NOON },
  '@later': { type: 'timestamp', value: NOON + 1 },
  '@id': { type: 'uuid', value: '00112233-4455-6677-8899-AABBCCDDEEFF' },
  '@name': 'color',
  '@in': 'a keyword',
  '@bang': '!',
  '@bangs': '!!',
  '@Case': 'exact',
  '@CASE': 'other',
};
