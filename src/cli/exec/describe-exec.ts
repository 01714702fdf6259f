// `jitney exec` as commander sees it, with its help.

import type { Command } from 'commander';
import type { ExecFlags } from './exec-command.js';

export const EXEC = 'exec';

const EXAMPLES = `
It takes all options of start; see jitney --help. Unless they say otherwise, the ports are free ones and everything is in
memory. The command gets the variables that jitney env prints. The exit code is that of the command. The log of the
emulator is printed only if that is not 0.

Examples:
  jitney exec -- npm test
  jitney exec --queue orders --topic events/audit -- pytest -x
  jitney exec --config Config.json --auth strict -- dotnet test
`;

type Run = (command: readonly string[], flags: ExecFlags) => Promise<void>;

/** Splits the words of `jitney exec` at the first `--`: what follows it are another program's words, which are not read here. */
export function splitAtCommand(words: readonly string[]): {
  own: readonly string[];
  command: readonly string[];
} {
  const at = words.indexOf('--');
  const own = at < 0 ? words : words.slice(0, at);
  const isExec = own[0] === EXEC || (own[0]?.startsWith('-') === true && own.includes(EXEC));
  return isExec ? { own, command: at < 0 ? [] : words.slice(at + 1) } : { own: words, command: [] };
}

export function describeExec(program: Command, command: readonly string[], run: Run): void {
  program
    .command(EXEC)
    .description('run a command, such as your tests, with an emulator of its own')
    .usage('[options] -- <command> [arguments]')
    .option('--grace <time>', 'after a signal, how long the command may take to end before it is killed [10]')
    .addHelpText('after', EXAMPLES)
    .action(async (_flags: ExecFlags, given: Command) => {
      const [word] = given.args;
      if (word !== undefined)
        given.error(`write the command after --:  jitney exec -- ${given.args.join(' ')}`);
      if (command.length === 0)
        given.error('give the command to run after --, such as:  jitney exec -- npm test');
      await run(command, given.optsWithGlobals<ExecFlags>());
    });
}
