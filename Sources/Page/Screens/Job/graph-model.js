// Where the operations of a job are drawn: each group as a box around its members, and each member in a layer below those
// that it follows. Within a layer there are as many beside each other as there is room for.

const leaf = { width: 150, height: 32 };
const gap = 10;
const layerGap = 24;
// The space inside of a box, with that for a title.
const frames = { root: [0, 0], group: [12, 30], bundle: [8, 8] };
const bundleMin = 7;
const bundleMax = 24;
const cellStep = 11;
const cellRowMax = 60;
const cellsMax = 3000;

/**
 * The drawing of operations as `GET /v1/jobs/{id}/operations` lists them, at most `width` wide where that can be: its
 * `width` and `height`; `boxes`, each with `x`, `y`, `width`, `height` and its `operation`; and `lines`, each
 * `{ x1, y1, x2, y2, isCritical, states }`: critical are those that the end waited for. Several members alike share a box, a
 * `bundle`; many are `cells`, small squares in rows of `columns`, each for one of `all`. `edges` are those of `specFacts`.
 */
export function graphLayout(operations, width, edges = new Map()) {
  const block = placeNode(rootOf(operations), width, edges);
  const drawing = { width: block.width, height: block.height, boxes: [], lines: [] };
  for (const inner of block.blocks) flatten(inner, 0, 0, drawing);
  drawing.lines.push(...block.lines);
  return drawing;
}

function rootOf(operations) {
  const nodes = new Map();
  for (const operation of operations) {
    const node = { operation, members: [], kind: operation.depth ? "group" : "root" };
    nodes.set(operation.depth ? operation.operation : "", node);
    if (operation.depth) nodes.get(operation.operation.split("/").slice(0, -1).join("/"))?.members.push(node);
  }
  return nodes.get("");
}

function placeNode(node, width, edges) {
  if (node.kind === "cells") {
    const columns = Math.max(1, Math.min(cellRowMax, node.all.length, Math.floor((width + 1) / cellStep)));
    return { node: { ...node, columns, step: cellStep }, width: columns * cellStep - 1, height: Math.ceil(node.all.length / columns) * cellStep - 1, blocks: [], lines: [] };
  }
  if (!node.members.length) return { node, width: leaf.width, height: leaf.height, blocks: [], lines: [] };
  const [pad, head] = frames[node.kind];
  const rows = [];
  for (const layer of layersOf(node)) {
    let row;
    for (const member of layer) {
      const block = placeNode(member, width - pad * 2, edges);
      if (!row || row.width + gap + block.width > width - pad * 2) {
        row = { blocks: [], width: -gap, height: 0, before: row ? gap : layerGap };
        rows.push(row);
      }
      row.blocks.push(block);
      row.width += gap + block.width;
      row.height = Math.max(row.height, block.height);
    }
  }
  const content = Math.max(...rows.map((row) => row.width));
  let y = head - layerGap;
  for (const row of rows) {
    y += row.before;
    let x = pad + (content - row.width) / 2;
    for (const block of row.blocks) {
      Object.assign(block, { x, y });
      x += block.width + gap;
    }
    y += row.height;
  }
  const blocks = rows.flatMap((row) => row.blocks);
  return { node, width: content + pad * 2, height: y + pad, blocks, lines: linesOf(blocks, edges) };
}

/** The members by layer, with bundles. */
function layersOf({ members, kind }) {
  if (kind === "bundle") return [members];
  const byPath = new Map(members.map((member) => [member.operation.operation, member]));
  const levelOf = (member) => {
    if (member.level === undefined) {
      member.level = 0; // Against a circle, which a server does not accept.
      for (const path of member.operation.after ?? []) {
        if (byPath.has(path)) member.level = Math.max(member.level, levelOf(byPath.get(path)) + 1);
      }
    }
    return member.level;
  };
  const layers = [...groupedBy(members, levelOf)].sort(([left], [right]) => left - right);
  const least = layers.length > 1 ? bundleMin : bundleMax + 1;
  return layers.map(([, layer]) => {
    const alike = groupedBy(layer, alikeKey);
    // In the place of its first member; the others are in it.
    return layer.flatMap((member) => {
      const some = alike.get(alikeKey(member));
      return some.length < least ? [member] : some[0] === member ? [bundleOf(some)] : [];
    });
  });
}

/** Leaves that follow the same ones are alike. */
function alikeKey({ members, operation }) { return members.length ? operation.operation : `after ${operation.after ?? ""}`; }

function bundleOf(alike) {
  const { after } = alike[0].operation;
  return alike.length <= bundleMax ? { kind: "bundle", members: alike, operation: { after }, all: alike }
    : { kind: "cells", members: [], operation: { after }, all: alike.slice(0, cellsMax), more: Math.max(0, alike.length - cellsMax) };
}

/** Items by what `keyOf` says of them. */
function groupedBy(items, keyOf) {
  const found = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (found.has(key)) found.get(key).push(item); else found.set(key, [item]);
  }
  return found;
}

/** A line from what a block follows directly to the block. */
function linesOf(blocks, edges) {
  const byPath = new Map();
  for (const block of blocks) for (const { operation } of block.node.all ?? [block.node]) byPath.set(operation.operation, block);
  const lines = [];
  for (const block of blocks) {
    const after = new Set((block.node.operation.after ?? []).map((path) => byPath.get(path)).filter(Boolean));
    const implied = new Set([...after].flatMap((from) => from.node.operation.after ?? []).map((path) => byPath.get(path)));
    for (const from of after) {
      const states = edges.get(block.node.operation.operation)?.get(from.node.operation.operation);
      if (!implied.has(from)) lines.push({ from, to: block, states, x1: from.x + from.width / 2, y1: from.y + from.height, x2: block.x + block.width / 2, y2: block.y });
    }
  }
  markCritical(lines);
  // Of a chain it says nothing.
  if (lines.every((line) => line.isCritical || endOf(line.to) === -Infinity)) for (const line of lines) line.isCritical = false;
  return lines.map(({ from, to, ...line }) => line);
}

/** When the operations of a block ended, the last of them. */
function endOf({ node }) { return Math.max(...(node.all ?? [node]).map(({ operation }) => Date.parse(operation.finished_at) || -Infinity)); }

/** The same of those that were run: nothing waited for what was skipped. */
function runUntil(block) { return block.node.operation?.state === "skipped" ? -Infinity : endOf(block); }

/** Marks the lines on the way to the block that ended last, from that which each waited for longest. */
function markCritical(lines) {
  const lastOf = (some, blockOf) => some.reduce((last, line) => (runUntil(blockOf(line)) > (last ? runUntil(blockOf(last)) : -Infinity) ? line : last), undefined);
  let at = lastOf(lines, (line) => line.to)?.to;
  while (at) {
    const line = lastOf(lines.filter((each) => each.to === at && !each.isCritical), (each) => each.from);
    if (line) line.isCritical = true;
    at = line?.from;
  }
}

function flatten({ node, width, height, blocks, lines, ...place }, left, top, drawing) {
  const x = left + place.x;
  const y = top + place.y;
  drawing.boxes.push({ x, y, width, height, ...node });
  for (const line of lines) drawing.lines.push({ ...line, x1: x + line.x1, y1: y + line.y1, x2: x + line.x2, y2: y + line.y2 });
  for (const inner of blocks) flatten(inner, x, y, drawing);
}
