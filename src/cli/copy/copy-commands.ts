// `jitney copy` as commander sees it, with its help.

import { type Command, Option } from 'commander';
import { collect, MAY_DROP_DUPLICATES, NEW_MESSAGE_ID } from '../messages/message-commands.js';

export type CopyFlags = {
  readonly entities?: boolean;
  readonly messages?: boolean;
  readonly map?: readonly string[];
  readonly only?: readonly string[];
  readonly state?: 'dead';
  readonly move?: boolean;
  readonly newMessageId?: boolean;
  readonly mayDropDuplicates?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly fromNamespace?: string;
  readonly toNamespace?: string;
};

export type CopyRequest = { readonly from: string; readonly to: string; readonly flags: CopyFlags };

const HELP = `
<from> and <to> are each a connection string, the name of a variable that holds one, or the port of a Jitney of this
machine. A variable keeps the key out of the list of processes. Both keys need Manage of their namespace.

It takes what is there when it comes to an entity: active, scheduled, deferred and dead-lettered messages, and states of
sessions. Messages keep their bytes, state, schedule, reason and delivery count, and get new numbers and enqueued times.
After Ctrl-C or a kill, the same command goes on where it was. A Jitney gets no message twice; any other destination
may get the messages of one request twice. Such a destination, as Azure, gets deferred messages and dead letters as active ones,
and no messages of subscriptions.

Exit codes: 0 done, 1 refused, 2 bad usage, 3 not reachable, 130 interrupted.

Examples:
  jitney copy PRODUCTION 5672 --only orders
  jitney copy 5672 5673 --messages --map orders=orders-copy
  jitney copy 5672 5673 --move --yes
  jitney copy 5672 5672 --from-namespace tests-1 --to-namespace tests-2
`;

export function describeCopy(program: Command, run: (request: CopyRequest) => Promise<void>): void {
  program
    .command('copy')
    .description('copy the entities and messages of one namespace into another')
    .argument('<from>', 'where they are')
    .argument('<to>', 'where they come')
    .allowExcessArguments(false)
    .option('--entities', 'only the entities [both]')
    .option('--messages', 'only the messages [both]')
    .option('--only <name>', 'only this queue or topic; more than once for several', collect)
    .option('--map <from=to>', 'another name for a queue or topic; more than once for several', collect)
    .addOption(new Option('--state <state>', 'only dead letters').choices(['dead']))
    .option('--from-namespace <name>', 'one of the namespaces of the Jitney of <from> [default]')
    .option('--to-namespace <name>', 'one of the namespaces of the Jitney of <to> [default]')
    .option('--move', 'delete each message at its source when the destination has it')
    .option(...NEW_MESSAGE_ID)
    .option(...MAY_DROP_DUPLICATES)
    .option('--yes', 'delete without a question')
    .option('--json', 'an object with the counts, for programs')
    .addHelpText('after', HELP)
    .action((from: string, to: string, flags: CopyFlags) => run({ from, to, flags }));
}
