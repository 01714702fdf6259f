// Named sets of faults: the ways in which a service commonly fails.

import { suggestion } from '../description/suggestion.js';
import { type Fault, FaultError, type FaultOperation } from './fault.js';

export type PresetOptions = {
  /** The path of an entity, as in a fault. Default: every entity. */
  readonly entity?: string | undefined;
  /** For `throttled`: how many operations pass in a second. Default: 10. */
  readonly perSecond?: number | undefined;
  /** For `flaky` and `slow`: the seed of their random numbers. Default: 1. */
  readonly seed?: number | undefined;
};

export type FaultPreset = {
  readonly faults: readonly Fault[];
  /** Happens once to the connections that are open now. */
  readonly atOnce?: 'reset' | 'detach';
};

/** The operations that a client repeats after a transient error. */
const REPEATED: readonly FaultOperation[] = [
  'send',
  'complete',
  'abandon',
  'dead-letter',
  'defer',
  'renew-lock',
  'renew-session-lock',
  'get-session-state',
  'set-session-state',
  'schedule',
  'cancel',
  'peek',
];
const BUSY = 'com.microsoft:server-busy';

const PRESETS = {
  flaky: ({ seed, ...where }: Where): FaultPreset => ({
    faults: [{ on: REPEATED, ...where, error: BUSY, probability: 0.05, seed }],
  }),
  slow: ({ seed, ...where }: Where): FaultPreset => ({
    faults: [{ on: [...REPEATED, 'receive', 'attach'], ...where, delay: 200, jitter: 300, seed }],
  }),
  blip: (): FaultPreset => ({ faults: [], atOnce: 'reset' }),
  failover: ({ seed: _, ...where }: Where): FaultPreset => ({
    faults: [{ on: [...REPEATED, 'attach'], ...where, error: BUSY, for: 2000 }],
    atOnce: 'detach',
  }),
  throttled: ({ seed: _, ...where }: Where, above: number): FaultPreset => ({
    faults: [{ on: [...REPEATED, 'attach'], ...where, error: BUSY, above }],
  }),
} as const;

type Where = { readonly entity?: string; readonly seed: number };

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];
const OPTIONS = ['entity', 'perSecond', 'seed'];

/** Throws a FaultError. */
export function presetNamed(name: string, options: PresetOptions = {}): FaultPreset {
  const found = PRESET_NAMES.find((each) => each === name);
  if (found === undefined) {
    const hint = suggestion(String(name), PRESET_NAMES) || ` Possible are: ${PRESET_NAMES.join(', ')}.`;
    throw new FaultError(`'${String(name).slice(0, 100)}' is not a preset of faults.${hint}`);
  }
  for (const option of Object.keys(options)) {
    if (!OPTIONS.includes(option)) {
      throw new FaultError(
        `A preset of faults has no '${option.slice(0, 100)}'. It may have: ${OPTIONS.join(', ')}.`,
      );
    }
  }
  const { entity, perSecond = 10, seed = 1 } = options;
  if (!Number.isSafeInteger(perSecond) || perSecond < 1) {
    throw new FaultError(
      `'perSecond' must be a whole number of at least 1, not ${String(perSecond).slice(0, 100)}.`,
    );
  }
  if (found !== 'throttled' && options.perSecond !== undefined) {
    throw new FaultError(`'perSecond' is for the preset throttled, not for '${found}'. Leave it out.`);
  }
  if (found !== 'flaky' && found !== 'slow' && options.seed !== undefined) {
    throw new FaultError(`'seed' is for flaky and slow: '${found}' draws no random numbers. Leave it out.`);
  }
  if (found === 'blip' && entity !== undefined) {
    throw new FaultError("'blip' resets connections, which do not belong to one entity. Leave 'entity' out.");
  }
  return PRESETS[found]({ ...(entity === undefined ? {} : { entity }), seed }, perSecond);
}
