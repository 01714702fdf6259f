// Settings of the emulator that change what the page offers.

import { computed } from '@preact/signals';
import { info } from './model.js';

/** Whether the page may change nothing: `--ui read-only`. */
export const isReadOnly = computed(() => info.value?.settings.ui === 'read-only');

/** The name that people gave this emulator: `--label`. */
export const label = computed(() => {
  const given = info.value?.settings.label;
  return typeof given === 'string' ? given : undefined;
});
