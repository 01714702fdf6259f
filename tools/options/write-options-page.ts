// Writes docs/options.md anew, after the table of options has changed.

import { writeFileSync } from 'node:fs';
import { buildOptionsPage } from './options-page.js';

writeFileSync(new URL('../../docs/options.md', import.meta.url), buildOptionsPage());
