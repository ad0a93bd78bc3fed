// Places on a line in words.

/** Where a value lies, in words without numbers: at a mark, or in which third of the way to the next. */
export function placeInWords(value, { marks, position }) {
  const places = Object.keys(marks).map(Number);
  const passed = places.findLastIndex((place) => place <= value);
  const [mark, next] = [places[passed], places[passed + 1]];
  const share = next === undefined ? 0 : (value - mark) / (next - mark);
  const phrase =
    share === 0 ? position.at
    : share < 1 / 3 ? position.just_after
    : share < 2 / 3 ? position.between
    : position.just_before;
  return phrase.replace("{mark}", marks[mark]).replace("{next}", marks[next] ?? "");
}
