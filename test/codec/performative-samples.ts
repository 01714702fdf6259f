// One performative of each kind with every field given, so that one in the wrong place shows.

import type { Performative } from '../../src/codec/performatives.js';
import { amqp } from '../../src/codec/types.js';
import { described, hex, list, smallUlong, str } from '../support/frame-encoder.js';

const source = described(smallUlong(0x28), list([str('queue')]));
const target = described(smallUlong(0x29), list([str('elsewhere')]));
const accepted = described(smallUlong(0x24), list([]));
const tag = hex('00112233445566778899aabbccddeeff');
const properties = amqp.map([[amqp.symbol('product'), amqp.string('x')]]);
const UINT_MAX = 0xffffffff;

export type Sample = { readonly ours: Performative; readonly rheas: Readonly<Record<string, unknown>> };

/** `rheas` leaves out what rhea reads as typed values. */
export const SAMPLES: readonly Sample[] = [
  {
    ours: {
      kind: 'open',
      containerId: 'container',
      hostname: 'host',
      maxFrameSize: 65_536,
      channelMax: 255,
      idleTimeOut: 60_000,
      outgoingLocales: ['en-US'],
      incomingLocales: ['de-DE', 'en-US'],
      offeredCapabilities: ['a', 'b'],
      desiredCapabilities: [],
      properties,
    },
    rheas: {
      container_id: 'container',
      hostname: 'host',
      max_frame_size: 65_536,
      channel_max: 255,
      idle_time_out: 60_000,
      outgoing_locales: ['en-US'],
      incoming_locales: ['de-DE', 'en-US'],
      offered_capabilities: ['a', 'b'],
      desired_capabilities: [],
      properties: { product: 'x' },
    },
  },
  {
    ours: {
      kind: 'begin',
      remoteChannel: 3,
      nextOutgoingId: 0,
      incomingWindow: 2048,
      outgoingWindow: UINT_MAX,
      handleMax: 255,
      offeredCapabilities: ['a'],
      desiredCapabilities: ['b'],
      properties,
    },
    rheas: {
      remote_channel: 3,
      next_outgoing_id: 0,
      incoming_window: 2048,
      outgoing_window: UINT_MAX,
      handle_max: 255,
      offered_capabilities: ['a'],
      desired_capabilities: ['b'],
      properties: { product: 'x' },
    },
  },
  {
    ours: {
      kind: 'attach',
      name: 'link',
      handle: 7,
      role: true,
      sndSettleMode: 1,
      rcvSettleMode: 1,
      source,
      target,
      unsettled: amqp.map([]),
      incompleteUnsettled: true,
      initialDeliveryCount: 0,
      maxMessageSize: 262_144,
      offeredCapabilities: ['a'],
      desiredCapabilities: ['b'],
      properties,
    },
    rheas: {
      name: 'link',
      handle: 7,
      role: true,
      snd_settle_mode: 1,
      rcv_settle_mode: 1,
      unsettled: {},
      incomplete_unsettled: true,
      initial_delivery_count: 0,
      max_message_size: 262_144,
      offered_capabilities: ['a'],
      desired_capabilities: ['b'],
      properties: { product: 'x' },
    },
  },
  {
    ours: {
      kind: 'flow',
      nextIncomingId: 1,
      incomingWindow: 2048,
      nextOutgoingId: UINT_MAX,
      outgoingWindow: 255,
      handle: 256,
      deliveryCount: 5,
      linkCredit: 1000,
      available: 0,
      drain: true,
      echo: true,
      properties,
    },
    rheas: {
      next_incoming_id: 1,
      incoming_window: 2048,
      next_outgoing_id: UINT_MAX,
      outgoing_window: 255,
      handle: 256,
      delivery_count: 5,
      link_credit: 1000,
      available: 0,
      drain: true,
      echo: true,
      properties: { product: 'x' },
    },
  },
  {
    ours: {
      kind: 'transfer',
      handle: 0,
      deliveryId: 300,
      deliveryTag: tag,
      messageFormat: 0x80013700,
      settled: true,
      more: true,
      rcvSettleMode: 1,
      state: undefined,
      resume: true,
      aborted: true,
      batchable: true,
    },
    rheas: {
      handle: 0,
      delivery_id: 300,
      delivery_tag: tag,
      message_format: 0x80013700,
      settled: true,
      more: true,
      rcv_settle_mode: 1,
      resume: true,
      aborted: true,
      batchable: true,
    },
  },
  {
    ours: {
      kind: 'disposition',
      role: true,
      first: 4,
      last: 9,
      settled: true,
      state: accepted,
      batchable: true,
    },
    rheas: { role: true, first: 4, last: 9, settled: true, batchable: true },
  },
  { ours: { kind: 'detach', handle: 2, closed: true, error: undefined }, rheas: { handle: 2, closed: true } },
  { ours: { kind: 'end', error: undefined }, rheas: {} },
  { ours: { kind: 'close', error: undefined }, rheas: {} },
  {
    ours: { kind: 'sasl-mechanisms', mechanisms: ['MSSBCBS', 'PLAIN'] },
    rheas: { sasl_server_mechanisms: ['MSSBCBS', 'PLAIN'] },
  },
  {
    ours: { kind: 'sasl-init', mechanism: 'PLAIN', initialResponse: hex('0061'), hostname: 'host' },
    rheas: { mechanism: 'PLAIN', initial_response: hex('0061'), hostname: 'host' },
  },
  { ours: { kind: 'sasl-response', response: hex('01') }, rheas: { response: hex('01') } },
  { ours: { kind: 'sasl-outcome', code: 1 }, rheas: { code: 1 } },
];
