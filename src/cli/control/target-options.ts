// The options with which a printed command goes to the same service as the one that prints it.

import { type Flags, flagName } from '../../config/environment.js';
import { OPTIONS } from '../../config/options/option-table.js';
import { oneLine } from '../output/one-line.js';
import { shellWord } from '../output/shell-word.js';

type Target = Flags & {
  readonly connectionString?: string | undefined;
  readonly namespace?: string | undefined;
};

/** Stands for a connection string in a printed command, because it holds a key. */
export const UNSHOWN_CONNECTION = '"<the connection string>"';

const NAMED = ['host', 'port', 'httpPort', 'namespace'] as const;

/** Such as ` --port 5673`; empty without any of these options. A variable need not be repeated: it is there for the next command, too. */
export function targetOptions(target: Target): string {
  const { connectionString } = target;
  const connection = connectionString === undefined ? '' : ` --connection-string ${UNSHOWN_CONNECTION}`;
  const named = NAMED.filter((name) => target[name] !== undefined).map(
    (name) => ` ${flagName(name)} ${shellWord(oneLine(String(target[name])))}`,
  );
  return connection + named.join('');
}

/** The option for an emulator on this port, such as ` --port 5673`; empty for the default. */
export function portOption(port: number): string {
  return port === OPTIONS.port.default ? '' : ` --port ${port}`;
}
