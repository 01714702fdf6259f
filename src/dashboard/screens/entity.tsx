// To come.

import type { Tab } from '../state/route.js';

export function EntityScreen({
  path,
  tab,
  filter,
}: {
  readonly path: string;
  readonly tab: Tab;
  readonly filter: string;
}) {
  return <section aria-label={`${path} ${tab} ${filter}`} />;
}
