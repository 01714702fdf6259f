// Tells a Jitney, whose control interface a command can use, from another service such as Azure.

import type { Environment } from '../../config/environment.js';
import type { Settings } from '../../config/settings.js';
import { ControlClient } from './control-client.js';
import { type AddressFlags, findEmulator, isOfAzure } from './emulator-address.js';
import type { AskRunning } from './running-authority.js';

type Choice = {
  readonly settings: Settings;
  readonly flags: AddressFlags;
  readonly environment: Environment;
  readonly askRunning: AskRunning;
};

/**
 * A client of the Jitney to which the options lead, even if it refuses the key; undefined if another service answers there, nothing does, or
 * its control interface is switched off. Throws a JitneyError.
 */
export async function findJitney({
  settings,
  flags,
  environment,
  askRunning,
}: Choice): Promise<ControlClient | undefined> {
  if (isOfAzure(flags, environment)) return undefined;
  const client = await ControlClient.open(findEmulator(settings, flags, environment), askRunning);
  return (await client.isAnswered()) ? client : undefined;
}
