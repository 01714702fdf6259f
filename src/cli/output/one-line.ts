// Makes texts of clients safe to show to people.

/** All line ends, and control characters, which could move the cursor of a terminal, change its colours or reverse a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Makes one line from a text that may quote a client. Control characters are shown as in JSON, such as `\n`. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, (one) => {
    const shown = JSON.stringify(one).slice(1, -1);
    return shown === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : shown;
  });
}
