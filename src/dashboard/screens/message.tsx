// To come.

import type { Tab } from '../state/route.js';

type MessageProps = { readonly path: string; readonly tab: Tab; readonly sequenceNumber: number };

export function MessageScreen({ path, tab, sequenceNumber }: MessageProps) {
  return <section aria-label={`${path} ${tab} ${sequenceNumber}`} />;
}
