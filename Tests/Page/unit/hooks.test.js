import assert from "node:assert/strict";
import test from "node:test";
import { readInTurn } from "../../../Sources/Page/Screens/Hooks/hook-turns.js";

test("the last deliveries are read in turn, a few at a time", async () => {
  const asked = [];
  const known = new Map();
  const turn = (names) => readInTurn(known, names, async (name) => { asked.push(name); return `${name}${asked.length}`; }, 2);
  assert.deepEqual(await turn(["a", "b", "c"]), ["a1", "b2", "c3"]);
  assert.deepEqual(await turn(["a", "b", "c"]), ["a4", "b5", "c3"]);
  assert.deepEqual(await turn(["a", "b", "c"]), ["a7", "b5", "c6"]);
  // A new one is read at once, and a deleted one no more.
  assert.deepEqual(await turn(["d", "a", "c"]), ["d8", "a7", "c6"]);
  await turn(["d", "a", "c"]);
  assert.deepEqual(asked.slice(8), ["c", "a"]);
});

test("a hook that is deleted between two reads spoils no other", async () => {
  const known = new Map([["gone", "old"], ["here", "old"]]);
  const read = async (name) => { if (name !== "here") throw new Error("404"); return "new"; };
  assert.deepEqual(await readInTurn(known, ["gone", "here"], read, 2), ["old", "new"]);
  assert.deepEqual(await readInTurn(known, ["gone", "here", "fresh"], read, 2), ["old", "new", undefined]);
  // It does not keep the others from their turn.
  assert.deepEqual([...known.keys()], ["gone", "here", "fresh"]);
});
