// Quotations of files in Markdown: a block below `<!-- quoted: examples/python/shop.py place -->` is the region `place` of that file.

/** Without the name of a region, the whole file is quoted. */
const QUOTED = /^ *<!-- quoted: (\S+)(?: (.+))? -->$/;
const FENCE = /^ *```/;
/** `// region: place`, or `# region: place` in Python; it ends at `// endregion`. */
const BEGIN = /^\s*(?:\/\/|#) region: (.+)$/;
const END = /^\s*(?:\/\/|#) endregion$/;

/** The page with each of its quotations written anew. `readFile` takes a path from the folder of the project. */
export function writeQuotations(markdown: string, readFile: (path: string) => string): string {
  const lines = markdown.split('\n');
  const written: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    written.push(line);
    const [, file, region] = QUOTED.exec(line) ?? [];
    if (file === undefined) continue;
    const fence = lines[at + 1] ?? '';
    const end = lines.indexOf('```', at + 2);
    if (!FENCE.test(fence) || end < 0) throw new Error(`line ${at + 1} quotes ${file}, and no block follows`);
    const text = readFile(file);
    const quoted = region === undefined ? wholeFile(text, file) : cutRegion(text, region, file);
    written.push(fence, ...quoted, '```');
    at = end;
  }
  return written.join('\n');
}

/** The lines of a file without regions: what stands between their marks has blank lines that only fit with the marks. */
function wholeFile(text: string, file: string): string[] {
  const lines = text.trimEnd().split('\n');
  if (lines.some((line) => BEGIN.test(line))) throw new Error(`${file} has regions: name one of them`);
  return lines;
}

/** The lines of a region, without blank lines around them and without the indentation that all of them have. */
export function cutRegion(text: string, region: string, file: string): string[] {
  const lines = text.split('\n');
  const begins = lines.flatMap((line, index) => (BEGIN.exec(line)?.[1] === region ? [index] : []));
  const [begin] = begins;
  if (begin === undefined || begins.length > 1) {
    throw new Error(`${file} has ${begins.length} regions ${region}; there must be one`);
  }
  const length = lines.slice(begin + 1).findIndex((line) => END.test(line) || BEGIN.test(line));
  if (length < 0 || !END.test(lines[begin + 1 + length] ?? '')) {
    throw new Error(`the region ${region} of ${file} has no end`);
  }
  const content = lines.slice(begin + 1, begin + 1 + length);
  while (content[0] === '') content.shift();
  while (content.at(-1) === '') content.pop();
  const indents = content.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  return content.map((line) => line.slice(Math.min(...indents)));
}
