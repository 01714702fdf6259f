// Asks the service about the entity that a command for messages names: its path in full, and whether it is a queue.

import type { AmqpClient } from '../../client/amqp-client.js';
import { portOf, type Service } from '../../client/service.js';
import { isOfKind } from '../../jitney-error.js';
import { ControlClient } from '../control/control-client.js';
import { fullPath } from '../control/full-path.js';
import type { AskRunning } from '../control/running-authority.js';

export type Jitney = { readonly service: Service; readonly askRunning: AskRunning };

/** The name of the product in an open frame of AMQP. */
const JITNEY = 'Jitney';

export function isJitney({ product }: AmqpClient): boolean {
  return product === JITNEY;
}

/**
 * The path in full of an entity that may be typed in short. A Jitney is asked for its entities, because it notes each name that a client opens
 * and that is missing. Another service, or a Jitney that refuses its list, is asked by opening the path.
 */
export async function fullPathAt(entity: string, client: AmqpClient, jitney: Jitney): Promise<string> {
  const control = isJitney(client) ? await openControl(jitney) : undefined;
  return fullPath(entity, async (path) => (await control?.lookFor(path))?.isThere ?? opens(path, client));
}

/** Also true if the path is refused for another reason: then the command is refused for it, too. */
function opens(path: string, client: AmqpClient): Promise<boolean> {
  return client.openBrowser(path).then(
    () => true,
    (error) => !isOfKind(error, 'no-entity'),
  );
}

/** Whether a Jitney has a queue of this path, which may look like that of a subscription. */
export async function isQueue(entity: string, jitney: Jitney): Promise<boolean> {
  const client = await openControl(jitney);
  const call = { name: 'entity', query: { entity } };
  const found = await client.call<{ readonly kind: string }>(call).catch(() => undefined);
  return found?.kind === 'queue';
}

export function openControl({ service, askRunning }: Jitney): Promise<ControlClient> {
  const { isPlain, host, access } = service;
  const address = { isTls: !isPlain, host, port: portOf(service), access };
  const unsaid = { entityPath: undefined, from: undefined, options: '' };
  return ControlClient.open({ ...address, ...unsaid }, askRunning);
}
