import { svg } from "./dom.js";

/** Small bars of numbers, oldest first, at most 48; `label` says them in words. */
export function barLine(values, { label, tone = "run" }) {
  const every = Math.ceil(values.length / 48);
  const sums = Array.from({ length: Math.ceil(values.length / every) }, (_, index) => values.slice(index * every, (index + 1) * every).reduce((all, each) => all + each, 0));
  const most = Math.max(1, ...sums);
  return svg("svg.bar-line", { class: `tone-${tone}`, viewBox: `0 0 ${sums.length} 26`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("path.bar-base", { d: `M0 25.5H${sums.length}` }), sums.map((sum, index) => sum > 0 && svg("rect", { x: index + 0.1, y: 25 - Math.max(2, sum / most * 24), width: 0.8, height: Math.max(2, sum / most * 24) })));
}

/** A line through numbers, oldest first, with the area below it; `label` says it in words. */
export function sparkline(values, { width = 240, height = 48, label, tone = "run", max = undefined }) {
  const most = Math.max(max ?? 0, ...values, 1e-9);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, index) =>
    [Number((index * step).toFixed(1)), Number((height - 2 - (value / most) * (height - 6)).toFixed(1))]);
  const line = points.map(([x, y], index) => `${index ? "L" : "M"}${x} ${y}`).join("");
  return svg("svg.sparkline", { class: `tone-${tone}`, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    values.length > 1 && svg("path.area", { d: `${line}L${width} ${height}L0 ${height}Z` }),
    values.length > 1 && svg("path.line", { d: line }));
}
