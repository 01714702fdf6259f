// Faults of a layout, measured in a browser: what is wider than the window, cannot be reached, or is cut without saying so.

import type { Page } from 'playwright-core';

/** Sentences about what is wrong with the layout of the page as it is. */
export async function layoutProblems(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(MEASURE)) as readonly string[];
}

/** Runs in the browser, where this project has no types. */
const MEASURE = `(() => {
  const SLACK = 1.5;
  const problems = [];
  const nameOf = (element) => {
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().replace(/\\s+/g, ' ').slice(0, 40);
    const kind = element.localName + [...element.classList].map((each) => '.' + each).join('');
    return kind + (text === '' ? '' : ' "' + text + '"');
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const hides = (value) => value === 'hidden' || value === 'clip';
  const scrolls = (value) => value === 'auto' || value === 'scroll';

  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) problems.push('the document is ' + root.scrollWidth + ' px wide');
  const main = document.querySelector('main');
  if (main.scrollWidth > main.clientWidth + SLACK) problems.push('main is ' + main.scrollWidth + ' px wide in ' + main.clientWidth);

  // Where the box of an element can be brought by scrolling, from its parent up to the window.
  const unreachable = (element) => {
    let box = element.getBoundingClientRect();
    let at = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
    for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
      const style = getComputedStyle(parent);
      const frame = parent.getBoundingClientRect();
      const [x, y] = parent === document.body || parent === root ? ['visible', 'visible'] : [style.overflowX, style.overflowY];
      if (scrolls(x)) {
        if (at.left + parent.scrollLeft < frame.left - SLACK) return parent;
        at = { ...at, left: Math.max(at.left, frame.left), right: Math.min(at.right, frame.right) };
        if (at.left > at.right) at = { ...at, left: frame.left, right: frame.left };
      } else if (hides(x)) {
        // Of a link, a name that ends in an ellipsis is enough to click at.
        const least = element.localName === 'a' ? Math.min(24, box.width) : at.right - at.left;
        at = { ...at, left: Math.max(at.left, frame.left), right: Math.min(at.right, frame.right) };
        if (at.right - at.left < least - SLACK) return parent;
      }
      if (scrolls(y)) {
        if (at.top + parent.scrollTop < frame.top - SLACK) return parent;
        at = { ...at, top: Math.max(at.top, frame.top), bottom: Math.min(at.bottom, frame.bottom) };
        if (at.top > at.bottom) at = { ...at, top: frame.top, bottom: frame.top };
        if (frame.height < 24) return parent;
      } else if (hides(y) && (at.top < frame.top - SLACK || at.bottom > frame.bottom + SLACK)) return parent;
      if (style.position === 'fixed') break;
    }
    const isOut = at.left < -SLACK || at.right > innerWidth + SLACK || at.top < -SLACK || at.bottom > innerHeight + SLACK;
    return isOut ? root : undefined;
  };
  for (const element of document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]')) {
    if (!isShown(element) || element.classList.contains('skip') || element.closest('svg') !== null) continue;
    const parent = unreachable(element);
    if (parent !== undefined) problems.push(nameOf(element) + ' is out of reach in ' + nameOf(parent).split(' "')[0]);
  }

  // Columns and texts that end at an edge which cannot be scrolled, and whose whole text no title says.
  for (const element of document.querySelectorAll('#app *')) {
    if (!(element instanceof HTMLElement) || !isShown(element) || element.classList.contains('vh')) continue;
    const style = getComputedStyle(element);
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (hides(style.overflowX) && element.scrollWidth > element.clientWidth + SLACK && element.textContent.trim() !== '') {
      if (element.closest('[title]') === null && element.querySelector('[title]') === null) problems.push(nameOf(element) + ' is cut without a title');
    }
    if (hides(style.overflowY) && element.scrollHeight > element.clientHeight + 8 && isText && element.closest('[title]') === null) {
      problems.push(nameOf(element) + ' is cut at its bottom');
    }
  }
  return [...new Set(problems)].slice(0, 12);
})()`;
