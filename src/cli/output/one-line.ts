// Text of clients as it is shown to people.

/** Control characters, which could move the cursor of a terminal, colour it or turn its line around, and all ends of a line. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** One line, of a text that may quote what a client has sent: control characters are shown as in JSON, such as `\n`. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, (one) => {
    const shown = JSON.stringify(one).slice(1, -1);
    return shown === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : shown;
  });
}
