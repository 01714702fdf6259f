// The code blocks of a Markdown file, each with what a reader does with it.

/** A block of these words is not run; the comment stands right above it, with the reason. */
const NOT_RUN = /^ *<!-- not run: (.+) -->$/;
const FENCE = /^( *)```(.*)$/;
const FILE_NAME = /^\/\/ (\S+\.mjs)[;\n]/;

export type MarkdownBlock = {
  /** Of the file, from 1: where its text begins. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Of a program: what its first line says, or else its place. */
  readonly fileName: string;
  /** The reason why it cannot be run by a test. */
  readonly notRun: string | undefined;
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
    const notRun = NOT_RUN.exec(lines[at - 1] ?? '')?.[1];
    blocks.push({ line: at + 2, language, text, fileName, notRun });
    at = end;
  }
  return blocks;
}
