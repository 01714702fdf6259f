// Writes each block of a page that quotes a file anew. Run it after a change of an example.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, readPages } from '../../compat-tests/support/documentation.js';
import { writeQuotations } from '../../compat-tests/support/quotations.js';

for (const { path, text } of await readPages()) {
  writeFileSync(
    join(PROJECT, path),
    writeQuotations(text, (file) => readFileSync(join(PROJECT, file), 'utf8')),
  );
}
