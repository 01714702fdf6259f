// The SASL layer of a connection (AMQP 5.3): offers mechanisms, hears the choice, gives the outcome.

import { FRAME_TYPE, type Frame, writeFrame } from '../../codec/frames.js';
import { readPerformative } from '../../codec/performatives.js';
import type { Output } from './output.js';
import { ProtocolError } from './protocol-error.js';

/** In this order: rhea's client takes the first it knows, qpid-jms the strongest it has credentials for. */
export const SASL_MECHANISMS = ['MSSBCBS', 'PLAIN', 'ANONYMOUS', 'EXTERNAL'] as const;

/** What the client said of itself. */
export type Identity =
  | { readonly mechanism: 'MSSBCBS' | 'ANONYMOUS' | 'EXTERNAL'; readonly name: string }
  | { readonly mechanism: 'PLAIN'; readonly name: string; readonly password: string };

const OUTCOME = { ok: 0, auth: 1, sys: 2 } as const;

export function offerMechanisms(output: Output): void {
  writeFrame(output.writer, {
    type: FRAME_TYPE.sasl,
    channel: 0,
    performative: { kind: 'sasl-mechanisms', mechanisms: SASL_MECHANISMS },
  });
}

/** Answers a SASL frame with its outcome; the identity is undefined when the peer was turned away. */
export function answerSasl(
  output: Output,
  frame: Frame,
  accepts: (identity: Identity) => boolean,
): Identity | undefined {
  const identity = readIdentity(frame);
  const isAccepted = identity !== undefined && accepts(identity);
  writeOutcome(output, isAccepted ? OUTCOME.ok : OUTCOME.auth);
  return isAccepted ? identity : undefined;
}

/** Tells a peer whose SASL bytes make no sense that it is over. */
export function refuseSasl(output: Output): void {
  writeOutcome(output, OUTCOME.sys);
}

function writeOutcome(output: Output, code: number): void {
  writeFrame(output.writer, {
    type: FRAME_TYPE.sasl,
    channel: 0,
    performative: { kind: 'sasl-outcome', code },
  });
}

function readIdentity(frame: Frame): Identity | undefined {
  const { performative } = readPerformative(frame.body);
  if (performative.kind !== 'sasl-init') {
    throw new ProtocolError(
      'connection',
      'amqp:not-allowed',
      `sasl-init is expected, not ${performative.kind}`,
    );
  }
  const response = performative.initialResponse?.toString('utf8') ?? '';
  switch (performative.mechanism) {
    case 'MSSBCBS':
    case 'ANONYMOUS':
    case 'EXTERNAL':
      return { mechanism: performative.mechanism, name: response.replace(/^\0/, '') };
    case 'PLAIN': {
      const [, name, password] = response.split('\0');
      return name === undefined || password === undefined
        ? undefined
        : { mechanism: 'PLAIN', name, password };
    }
    default:
      return undefined;
  }
}
