// Writes docs/options.md and the type of the options of `startEmulator`. Run it after a change of the table of options.

import { writeFileSync } from 'node:fs';
import { buildEmulatorOptions } from './emulator-options.js';
import { buildOptionsPage } from './options-page.js';

const root = new URL('../../', import.meta.url);
writeFileSync(new URL('docs/options.md', root), buildOptionsPage());
writeFileSync(new URL('src/config/options/emulator-options.ts', root), buildEmulatorOptions());
