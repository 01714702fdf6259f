// Settings of the emulator that change what the page offers, for the screens that are not handed the store yet.

import { page } from './model.js';

export const isReadOnly = page.isReadOnly;
