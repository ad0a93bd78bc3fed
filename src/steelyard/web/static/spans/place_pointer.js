// The place in a text that somebody points at, as a share of its length, and the same place in another text.

/** Calls `onPoint` with the place of a unit along the text, once for each frame of the screen at most. */
export function reportPlace(units, length, onPoint = () => {}) {
  let asked = null;
  let told = null;
  let wanted = null;
  const point = (index) => {
    const unit = units[index];
    wanted = unit?.start === undefined ? null : (unit.start + unit.end) / 2 / length;
    asked ??= requestAnimationFrame(() => {
      asked = null;
      if (wanted !== told) onPoint(wanted);
      told = wanted;
    });
  };
  point.stop = () => cancelAnimationFrame(asked);
  return point;
}

/** Highlights the unit at this share of the text, and no other. */
export function makePointer(units, length) {
  let pointed = null;
  return (share) => {
    pointed?.element.classList.remove("markable-pointed");
    const at = share === null ? null : Math.min(Math.max(share, 0), 1) * length;
    pointed = at === null ? null : units.find(({ end }) => end > at) ?? units.findLast(({ end }) => end !== undefined);
    pointed?.element.classList.add("markable-pointed");
  };
}
