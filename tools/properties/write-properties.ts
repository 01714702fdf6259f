// Writes docs/entity-properties.md and the types of properties in code. Run it after a change of the tables of properties.

import { writeFileSync } from 'node:fs';
import { buildGivenProperties } from './given-properties.js';
import { buildPropertiesPage } from './properties-page.js';

const root = new URL('../../', import.meta.url);
writeFileSync(new URL('docs/entity-properties.md', root), buildPropertiesPage());
writeFileSync(new URL('src/config/given-properties.ts', root), buildGivenProperties());
