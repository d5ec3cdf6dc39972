import assert from "node:assert/strict";
import test from "node:test";
import { isForFailure, operationName, specFacts } from "../../../Sources/Page/Screens/Job/spec-model.js";
import { graphLayout } from "../../../Sources/Page/Screens/Job/graph-model.js";

const root = { operation: "all", name: "all", depth: 0, state: "running" };
const member = (path, ...after) => ({ operation: path, name: path.split("/").at(-1), depth: path.split("/").length, state: "pending", after: after.length ? after : undefined });
const inside = (inner, outer) => inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width
  && inner.y + inner.height <= outer.y + outer.height;
const boxOf = (layout, path) => layout.boxes.find((box) => box.operation.operation === path && box.operation.depth > 0);

test("what follows another is below it, and has a line", () => {
  const layout = graphLayout([root, member("a"), member("b", "a"), member("c", "a"), member("d", "b", "c")], 800);
  const [a, b, c, d] = ["a", "b", "c", "d"].map((path) => boxOf(layout, path));
  assert.ok(a.y + a.height < b.y && b.y === c.y && c.y + c.height < d.y);
  assert.ok(b.x + b.width < c.x, "side by side in the order of the spec");
  assert.equal(layout.lines.length, 4);
  assert.ok(layout.lines.every((line) => line.y1 < line.y2));
});

test("an edge that others imply has no line", () => {
  const layout = graphLayout([root, member("a"), member("b", "a"), member("c", "a", "b")], 800);
  assert.equal(layout.lines.length, 2);
});

test("a group is around its members, and nothing overlaps", () => {
  const layout = graphLayout([
    root, member("token"), member("pages", "token"), member("pages/1"), member("pages/2"), member("pages/2/x"), member("end", "pages"), member("other"),
  ], 400);
  assert.ok(inside(boxOf(layout, "pages/1"), boxOf(layout, "pages")));
  assert.ok(inside(boxOf(layout, "pages/2/x"), boxOf(layout, "pages/2")));
  assert.ok(layout.width <= 400);
  const parentOf = (path) => path.split("/").slice(0, -1).join("/");
  for (const one of layout.boxes) {
    assert.ok(inside(one, { x: 0, y: 0, ...layout }));
    for (const other of layout.boxes) {
      if (one === other || parentOf(one.operation.operation) !== parentOf(other.operation.operation) || !one.operation.depth || !other.operation.depth) continue;
      assert.ok(one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y,
        `${one.operation.operation} overlaps ${other.operation.operation}`);
    }
  }
});

test("a thousand members alike are cells, in the order of the spec", () => {
  const many = Array.from({ length: 998 }, (_, index) => member(`m${index}`, "a"));
  const layout = graphLayout([root, member("a"), ...many, member("end", ...many.map((each) => each.operation))], 700);
  const cells = layout.boxes.find((box) => box.kind === "cells");
  assert.deepEqual(cells.all.map((each) => each.operation.operation), many.map((each) => each.operation));
  assert.equal(layout.boxes.length, 1 + 1 + 1);
  assert.equal(layout.lines.length, 2);
  assert.ok(cells.columns * cells.step <= 701 && Math.ceil(998 / cells.columns) * cells.step <= cells.height + 1);
  assert.equal(graphLayout([root, ...Array.from({ length: 5000 }, (_, index) => member(`m${index}`))], 700).boxes[0].more, 2000);
});

test("a line says how the other may end, and whether the end waited for it", () => {
  const done = (operation, time) => ({ ...operation, state: "succeeded", finished_at: new Date(time).toISOString() });
  const { edges } = specFacts({ type: "group", operations: [{ name: "a" }, { name: "b" }, { name: "c", after: ["a", { operation: "b", states: ["failed"] }] }, { name: "d", after: [{ operation: "a", states: "any" }] }] });
  const layout = graphLayout([root, done(member("a"), 10), done(member("b"), 50), done(member("c", "a", "b"), 90), done(member("d", "a"), 20)], 800, edges);
  assert.deepEqual(layout.lines.map((line) => [line.states, Boolean(line.isCritical)]), [[undefined, false], [["failed"], true], ["any", false]]);
  assert.deepEqual([["failed"], ["failed", "succeeded"], "any", undefined].map(isForFailure), [true, false, false, false]);
  const skipped = { ...done(member("refund", "a"), 30), state: "skipped" };
  const branches = graphLayout([root, done(member("a"), 10), done(member("b", "a"), 20), skipped], 800);
  assert.deepEqual(branches.lines.map((line) => Boolean(line.isCritical)), [true, false], "nothing waits for what is skipped");
  const chain = graphLayout([root, done(member("a"), 10), done(member("b", "a"), 20)], 800);
  assert.ok(!chain.lines[0].isCritical, "a chain has no other way");
});

test("members of a map are named after their elements", () => {
  const { items } = specFacts({ type: "group", operations: [
    { name: "orders", type: "group", map: { items: ["a", 7, { id: "o_1", x: 1 }, { x: [1] }, null], operation: {} } },
    { name: "got", type: "group", map: { items: { $get: "orders" }, operation: {} } }] });
  assert.deepEqual([...items], [["orders/1", "a"], ["orders/2", "7"], ["orders/3", "o_1"], ["orders/4", '{"x":[1]}'], ["orders/5", "null"]]);
  assert.equal(operationName({ name: "network", operation: "orders/3" }, items), "3 · o_1");
  assert.equal(operationName({ name: "got", operation: "got" }, items), "got");
  for (const odd of [undefined, "text", { map: 7 }, { operations: [null, 7, { after: [null] }] }]) assert.equal(specFacts(odd).items.size, 0);
});

test("members without the group that is on another page are left out", () => {
  assert.equal(graphLayout([root, member("lost/one"), member("a", "none")], 500).boxes.length, 1);
});
