// Makes texts of clients safe to show to people.

/** All line ends, and control characters, which could move the cursor of a terminal, change its colours or reverse a line. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Makes one line from a text that may quote a client. Control characters are shown as in JSON, such as `\n`. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, (one) => {
    const shown = JSON.stringify(one).slice(1, -1);
    return shown === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : shown;
  });
}
