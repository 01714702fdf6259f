// What a user can choose, after files, environment and flags have been read into one value.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import type { Tier } from '../broker/limits.js';

export type Durability = 'os' | 'fsync';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const DURABILITIES: readonly Durability[] = ['os', 'fsync'];
export const TIERS: readonly Tier[] = ['basic', 'standard', 'premium'];

/** A queue as an object. What is not given has Azure's default. */
export type GivenQueue = Pick<QueueDescription, 'name'> & Partial<QueueDescription>;

/** Options of `startEmulator`. Everything has a default that suits a test. */
export type EmulatorOptions = {
  /** Address to listen on. Default `localhost`: the loopback addresses of IPv4 and, where it is there, IPv6. */
  readonly host?: string;
  /** AMQP port. Default 0: a free one. */
  readonly port?: number;
  /** Port of `GET /health`. Default `'off'`; 0 takes a free one. */
  readonly httpPort?: number | 'off';
  /** Keep everything in this directory. Default: in memory, gone with the process. */
  readonly dataDirectory?: string;
  /** `os` (default): safe when the process is killed; `fsync`: safe when the power fails. */
  readonly durability?: Durability;
  /** Queues to create: `'orders'`, `'orders?lockDuration=PT5S'`, or `{ name: 'orders', lockDurationMs: 5000 }`. */
  readonly queues?: readonly (string | GivenQueue)[];
  /** A Config.json of the official emulator. */
  readonly configFile?: string;
  /** Sets the size limits. Default `standard`. */
  readonly tier?: Tier;
  /** Bytes of message content kept in memory. Default 64 MiB. */
  readonly contentBudgetBytes?: number;
  /** Hears what a person should know while the emulator runs. Default: nobody. */
  readonly log?: (level: 'warn' | 'error', message: string) => void;
};
