import assert from "node:assert/strict";
import test from "node:test";
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

test("of a thousand members alike most are folded, in one box", () => {
  const many = Array.from({ length: 998 }, (_, index) => member(`m${index}`, "a"));
  const layout = graphLayout([root, member("a"), ...many, member("end", ...many.map((each) => each.operation))], 700);
  const folded = layout.boxes.filter((box) => box.folded);
  assert.equal(folded.length, 1);
  assert.equal(folded[0].folded.length, 998 - 23);
  assert.equal(layout.boxes.length, 1 + 1 + 24 + 1);
  assert.equal(layout.lines.length, 2);
  const bundle = layout.boxes.find((box) => box.kind === "bundle");
  assert.ok(layout.boxes.filter((box) => box.operation.name?.startsWith("m")).every((box) => inside(box, bundle)));
  assert.ok(layout.width <= 700);
});

test("members without the group that is on another page are left out", () => {
  assert.equal(graphLayout([root, member("lost/one"), member("a", "none")], 500).boxes.length, 1);
});
