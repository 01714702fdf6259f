// Writes config/Config.schema.json anew, after something that a Config.json may say has changed.

import { writeFileSync } from 'node:fs';
import { buildSchema } from './json-schema.js';

const FILE = new URL('../../config/Config.schema.json', import.meta.url);

writeFileSync(FILE, `${JSON.stringify(buildSchema(), undefined, 2)}\n`);
