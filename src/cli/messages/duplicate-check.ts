// Refuses to take messages from their source if the destination may drop them as duplicates: it accepts them all the same, so they would be lost.

import { AdminClient } from '../../client/admin-client.js';
import type { Service } from '../../client/service.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';

/** The options with which messages go to a destination that may drop some of them. */
export type DropConsent = {
  readonly newMessageId?: boolean | undefined;
  readonly mayDropDuplicates?: boolean | undefined;
};

const WAYS_ON = [
  'Give each copy an id of its own:  --new-message-id',
  'Or let it drop them, and lose them:  --may-drop-duplicates',
];

/** Asks the administration of the service about the destination, unless the options settle it. Throws a JitneyError. */
export async function refuseDrops(
  destination: string,
  { newMessageId = false, mayDropDuplicates = false }: DropConsent,
  { service, interrupted }: { readonly service: Service; readonly interrupted: AbortSignal },
): Promise<void> {
  if (newMessageId || mayDropDuplicates) return;
  // The administration is on HTTPS, which has the same usual port as a WebSocket.
  const admin = new AdminClient({ ...service, transport: 'websocket' }, { interrupted });
  try {
    const problem = await dropProblem(destination, admin);
    if (problem !== undefined) throw mayDrop(problem);
  } finally {
    admin.close();
  }
}

/** The refusal to take messages from their source for this reason. */
export function mayDrop(problem: string): JitneyError {
  return new JitneyError('refused', problem, { problems: WAYS_ON });
}

/** Why a queue or topic may drop messages, as a sentence; undefined if it does not. Throws a JitneyError only when interrupted. */
export async function dropProblem(destination: string, admin: AdminClient): Promise<string | undefined> {
  try {
    const detector = await detectorOf(destination, admin, new Set());
    if (detector === undefined) return undefined;
    const which =
      detector === destination
        ? `'${destination}' detects duplicates`
        : `'${destination}' forwards to '${detector}', which detects duplicates`;
    return `${which}: a message whose id it still knows is accepted and dropped, and so would be lost`;
  } catch (error) {
    if (isOfKind(error, 'interrupted') || !(error instanceof JitneyError)) throw error;
    return `It cannot be read whether '${destination}' detects duplicates, and would drop some of the messages: ${error.message}`;
  }
}

/** The first entity on the way of a message that detects duplicates; undefined if there is none. */
async function detectorOf(
  entity: string,
  admin: AdminClient,
  seen: Set<string>,
): Promise<string | undefined> {
  if (seen.has(entity.toLowerCase())) return undefined;
  seen.add(entity.toLowerCase());
  const found = await admin.get({ entity });
  // Sending will say that it is not there.
  if (found === undefined || found.type === 'subscription') return undefined;
  if (found.description.requiresDuplicateDetection) return entity;
  const targets = found.type === 'queue' ? [found.description.forwardTo] : await targetsOf(entity, admin);
  for (const target of targets) {
    const detector = target === undefined ? undefined : await detectorOf(target, admin, seen);
    if (detector !== undefined) return detector;
  }
  return undefined;
}

async function targetsOf(topic: string, admin: AdminClient): Promise<readonly (string | undefined)[]> {
  const targets: (string | undefined)[] = [];
  for await (const { description } of admin.listSubscriptions(topic)) targets.push(description.forwardTo);
  return targets;
}
