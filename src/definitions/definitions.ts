// A namespace as one value, with notes on everything that the format it came from, or goes to, cannot hold.

import type { Entities } from '../config/configured-entities.js';

/** The queues and topics of a namespace, read from a template, a file or a live service. */
export type Definitions = Entities & {
  /** One sentence each: what was left out or changed. */
  readonly notes: readonly string[];
};

export type WrittenDefinitions = { readonly text: string; readonly notes: readonly string[] };

export const EXPORT_FORMATS = ['config', 'bicep', 'terraform', 'arm'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
