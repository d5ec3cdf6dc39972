/**
 * Brings `known`, a map from a name to the last delivery to that hook, up to date: with what `read(name)` gives for the
 * hooks that are new, or else for the `most` that were asked longest ago. Where a read fails, as of a hook that is
 * deleted meanwhile, what is known stays. Gives the deliveries in the order of `names`.
 */
export async function readInTurn(known, names, read, most) {
  const wanted = new Set(names);
  for (const name of [...known.keys()]) if (!wanted.has(name)) known.delete(name);
  const fresh = names.filter((name) => !known.has(name));
  const asked = fresh.length ? fresh : [...known.keys()].slice(0, most);
  const found = await Promise.allSettled(asked.map(read));
  asked.forEach((name, index) => {
    const last = found[index].status === "fulfilled" ? found[index].value : known.get(name);
    // To the end: it was asked last.
    known.delete(name);
    known.set(name, last);
  });
  return names.map((name) => known.get(name));
}
