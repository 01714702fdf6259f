// Measures one row and prints the result as JSON. Arguments: the row, the scale, and `where` for functions that are worth reading.

import { longestStretch } from './longest-stretch.js';
import { ROWS } from './rows.js';
import { World } from './world.js';

const [, , name = '', scale, where] = process.argv;
const world = new World();
try {
  await world.start();
  const work = await ROWS[name]?.prepare(world, Number(scale));
  globalThis.gc?.(); // the garbage of the preparation is not the work's
  if (work !== undefined) console.log(JSON.stringify(await longestStretch(work, where !== undefined)));
} finally {
  await world.end();
}
