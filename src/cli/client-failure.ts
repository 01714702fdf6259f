// Adds to an error of the client for messages: who gave the address, what to try, which entity was probably meant.

import { ClientError } from '../client/client-error.js';
import { bareHost, portOf, type Service } from '../client/service.js';
import { isLoopback } from '../config/connection-string.js';
import { originText } from './connection-choice.js';
import { ControlClient } from './control-client.js';
import type { AskRunning } from './running-authority.js';

type Surroundings = {
  readonly service: Service;
  /** The flag or variable that gives the address; undefined: none does. */
  readonly from: string | undefined;
};

/** The error of a connection that could not be opened. */
export function connectFailure(error: unknown, { service, from }: Surroundings): unknown {
  if (!(error instanceof ClientError) || error.kind !== 'not-reachable') return error;
  const help = isLoopback(bareHost(service))
    ? ['Start it:  jitney start   or one on another port:  --port <n>']
    : service.transport === 'amqp'
      ? ['Behind a firewall:  --transport websocket']
      : [];
  return new ClientError(error.kind, error.message, error, [originText(from), ...help]);
}

/** The error of a request; for a missing entity of a Jitney, with the one that was probably meant. */
export async function requestFailure(
  error: unknown,
  entity: string,
  { service, askRunning }: { readonly service: Service; readonly askRunning: AskRunning },
): Promise<unknown> {
  if (!(error instanceof ClientError) || error.kind !== 'no-entity') return error;
  const { isPlain, host, access } = service;
  const address = {
    isTls: !isPlain,
    host,
    port: portOf(service),
    access,
    entityPath: undefined,
    from: undefined,
  };
  const client = await ControlClient.open(address, askRunning);
  return new ClientError(error.kind, error.message, error, await client.similarTo(entity));
}
