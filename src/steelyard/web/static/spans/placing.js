// Where small windows stand on the screen: below or above what they belong to, and never over it.

// From the edges of the window, in pixels.
const MARGIN = 8;
// Smaller than this nothing can be used: it keeps this height, and the page scrolls to it.
const LEAST_HEIGHT = 180;

/**
 * @param {HTMLElement} element  positioned absolutely
 * @param {DOMRect[]} boxes  what must stay visible, in the order of the text
 * @param {number} gap
 */
export function placeBeside(element, boxes, gap) {
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const first = Math.min(...boxes.map(({ top }) => top));
  const last = Math.max(...boxes.map(({ bottom }) => bottom));
  element.style.maxBlockSize = "";
  const own = element.getBoundingClientRect();
  const below = height - last - gap - MARGIN;
  const above = first - gap - MARGIN;
  const isBelow = own.height <= below || below >= above;
  const most = Math.max(isBelow ? below : above, LEAST_HEIGHT);
  const blockSize = Math.min(own.height, most);
  if (own.height > most) element.style.maxBlockSize = `${most}px`;
  const box = isBelow ? boxes.at(-1) : boxes[0];
  const middle = (box.left + box.right) / 2;
  const left = Math.max(Math.min(middle - own.width / 2, width - own.width - MARGIN), MARGIN);
  moveOnScreen(element, left, isBelow ? last + gap : first - gap - blockSize);
}

/** Whatever it is positioned from. */
export function moveOnScreen(element, left, top) {
  const now = element.getBoundingClientRect();
  element.style.left = `${(parseFloat(element.style.left) || 0) + left - now.left}px`;
  element.style.top = `${(parseFloat(element.style.top) || 0) + top - now.top}px`;
}
