// The rows of the table of options that say what is kept, where, and how safely.

import type { Option } from './option.js';
import { BYTE_COUNT_CHECK, codeOnly, oneOfType, SWITCH, textType } from './option-types.js';

export const STORAGE_OPTIONS = {
  data: {
    flag: '-d, --data <dir>',
    variables: ['JITNEY_DATA'],
    type: textType('a directory', 'the path of a directory'),
    setting: 'dataDirectory',
    isShown: true,
    default: './.jitney',
    defaultTextInCode: 'everything is in memory, and lost when the process ends',
    help: 'keep everything in this directory',
    docs: 'the directory for entities and messages; created if missing',
  },
  memory: {
    flag: '--memory',
    variables: ['JITNEY_MEMORY'],
    type: SWITCH,
    isInCode: false,
    help: 'keep everything in memory, and nothing when the process ends',
    docs: 'keeps nothing when the process ends; cannot be combined with `--data`. If both variables are set, `JITNEY_DATA` wins',
  },
  reset: {
    flag: '--reset',
    variables: ['JITNEY_RESET'],
    type: SWITCH,
    default: false,
    help: 'first remove the messages and entities of earlier starts; keep certificates and keys',
    docs: 'first removes the messages and entities of earlier starts; certificates and keys stay. The start is refused, and nothing is removed, if another emulator uses the directory, if it contains foreign files, if an entity or the certificate is refused, or if a port is in use. If another process takes a port after this check, that is noticed only after the removal',
  },
  durability: {
    flag: '--durability <os|fsync>',
    variables: ['JITNEY_DURABILITY'],
    type: oneOfType(['os', 'fsync']),
    isShown: true,
    default: 'os',
    help: 'keep messages over a crash of the process (os) or of the machine (fsync)',
    docs: '`os`: accepted messages survive if the process is killed; `fsync`: also if the power fails',
  },
  contentBudgetBytes: {
    type: codeOnly('number', BYTE_COUNT_CHECK),
    isShown: true,
    defaultText: '32 MiB',
    docs: 'bytes of message content that are held in memory in addition to the journal',
  },
} as const satisfies Readonly<Record<string, Option>>;
