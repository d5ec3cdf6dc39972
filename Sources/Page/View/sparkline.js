import { svg } from "./dom.js";

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
