// `jitney stop`: asks the running emulator to stop, and waits until it has.

import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { CommandContext } from '../output/command-context.js';
import type { ControlClient } from './control-client.js';

type Context = Pick<CommandContext, 'stdout' | 'sleep'> & { readonly isJson: boolean };

const LOOK_MS = 100;
const MAX_LOOKS = 100;

/** Throws a JitneyError, also if the client is in another namespace than `default`, or if the emulator still answers after 10 seconds. */
export async function stopEmulator(client: ControlClient, { stdout, isJson, sleep }: Context): Promise<void> {
  const { startedTime } = await client.call<{ readonly startedTime: string }>({ name: 'info' });
  const answer = await client.call<{ readonly ended: boolean }>({ method: 'POST', name: 'stop', body: {} });
  if (!answer.ended) {
    const text = `Nothing was stopped: --namespace or the connection string names one namespace of the emulator at ${client.url}. To stop the emulator with all of them, give --namespace default`;
    throw new JitneyError('bad-option', text);
  }
  for (let looks = 0; await isThere(client, startedTime); looks++) {
    if (looks === MAX_LOOKS) {
      throw new JitneyError('stop-overdue', `The emulator at ${client.url} does not stop in time`);
    }
    await sleep(LOOK_MS);
  }
  const text = `Stopped the emulator at ${client.url}.`;
  stdout(`${isJson ? JSON.stringify({ url: client.url, isStopped: true }) : text}\n`);
}

/** Whether the same start still answers: a container or a supervisor may have begun another one. */
async function isThere(client: ControlClient, startedTime: string): Promise<boolean> {
  try {
    const info = await client.call<{ readonly startedTime: string }>({ name: 'info' });
    return info.startedTime === startedTime;
  } catch (error) {
    if (isOfKind(error, 'no-emulator')) return false;
    throw error;
  }
}
