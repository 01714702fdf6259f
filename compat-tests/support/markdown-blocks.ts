// The code blocks of a Markdown file, each with what a reader does with it.

/** A block below this comment is not run; it gives the reason. */
const NOT_RUN = /^ *<!-- not run: (.+) -->$/;
/** A block below this comment is quoted of a file, which is run where it is. */
const QUOTED = /^ *<!-- quoted: /;
const FENCE = /^( *)```(.*)$/;
const FILE_NAME = /^\/\/ (\S+\.[cm]?js)[;\n]/;
const COMMAND = /^\/\/ .*\b(npx \w+|node --test|node(?= \S+\.mjs))/;

export type MarkdownBlock = {
  /** Line of the file where the text begins, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** A program's name according to its first line; otherwise made of its line number. */
  readonly fileName: string;
  /** The command that runs a program according to its first line, such as `node` or `npx jest`. */
  readonly command: string | undefined;
  /** The reason why it cannot be run by a test. */
  readonly notRun: string | undefined;
  readonly isQuoted: boolean;
};

export function markdownBlocks(markdown: string): MarkdownBlock[] {
  const lines = markdown.split('\n');
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent, language] = FENCE.exec(lines[at] ?? '') ?? [];
    if (indent === undefined || language === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`the block of line ${at + 1} has no end`);
    const content = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const text = `${content.join('\n')}\n`;
    const fileName = FILE_NAME.exec(text)?.[1] ?? `line-${at + 2}.mjs`;
    const command = COMMAND.exec(text)?.[1];
    const notRun = NOT_RUN.exec(lines[at - 1] ?? '')?.[1];
    const isQuoted = QUOTED.test(lines[at - 1] ?? '');
    blocks.push({ line: at + 2, language, text, fileName, command, notRun, isQuoted });
    at = end;
  }
  return blocks;
}
