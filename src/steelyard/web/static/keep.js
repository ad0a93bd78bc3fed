// What this browser remembers between visits. A browser that forbids storage remembers nothing,
// and everything else still works.

/** One remembered value under `key`: read(), write(value), forget(). */
export function keep(key) {
  const name = `steelyard:${key}`;
  const attempt = (action) => {
    try {
      return action();
    } catch {
      return null;
    }
  };
  return {
    read: () => attempt(() => JSON.parse(localStorage.getItem(name) ?? "null")),
    write: (value) => attempt(() => localStorage.setItem(name, JSON.stringify(value))),
    forget: () => attempt(() => localStorage.removeItem(name)),
  };
}
