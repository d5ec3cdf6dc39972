import { specDurationText } from "../../Basics/durations.js";
import { rootAddress } from "../../Basics/operation-address.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { clock } from "../../View/time-text.js";

/** What a job would do, with everything that it leaves to defaults. */
export function planView(plan) {
  return h("div.plan",
    h("p.plan-head", h("b", foreign(plan.name)), h("span.label", plan.type), h("span.label", `queue ${plan.queue}`),
      plan.priority !== 5 && h("span.label", `priority ${plan.priority}`)),
    plan.warnings.map((warning) => h("p.warning-line", icon("warning"), h("span", foreign(warning.detail)))),
    h("ol.plan-steps", plan.operations.slice(0, 100).map((step) => h("li", { style: { "--depth": String(depthOf(step.operation)) } },
      h("p", h("b", foreign(step.operation === rootAddress ? plan.name : step.operation.split("/").at(-1))), " ", h("span.dim", step.type)),
      step.url && h("p.request-line", h("b.method", step.method), foreign(step.url)),
      timeWords(step), stepWords(step).map((line) => h("p.dim.small", foreign(line)))))));
}

/** How deep an operation is in the plan; the job is at 0. */
function depthOf(operation) { return operation === rootAddress ? 0 : Math.min(6, operation.split("/").length); }

function stepWords(step) {
  const lines = [];
  if (step.after.length) lines.push(`After ${step.after.map(edgeWords).join(", ")}`);
  if (step.conditions.length) lines.push(`Only if: ${step.conditions.join(", ")}`);
  if (step.retry) lines.push(retryWords(step.retry));
  const timeouts = Object.entries(step.timeouts ?? {}).map(([name, time]) => `${name.replaceAll("_", " ")} ${specDurationText(time)}`);
  if (timeouts.length) lines.push(`Timeouts: ${timeouts.join(", ")}`);
  return lines;
}

/** The other operation, and how it may end when success alone is not meant. */
function edgeWords({ operation: address, states }) {
  const operation = address.split("/").at(-1);
  if (states === "any") return `${operation} (any end)`;
  return states.length === 1 && states[0] === "succeeded" ? operation : `${operation} (${states.join(", ")})`;
}

const times = [["run_at", "Not before "], ["start_by", "Begun by "], ["finish_by", "Ended by "]];

/** When a step may begin, and by when it must have begun and ended: dates, or durations from the submission. */
function timeWords(step) {
  const words = times.filter(([name]) => step[name]).map(([name, text]) =>
    h("span", text, /^[0-9]/.test(step[name]) && !step[name].includes("-") ? `${specDurationText(step[name])} after the submission` : clock(step[name]), " "));
  return words.length > 0 && h("p.dim.small", words);
}

function retryWords(retry) {
  if (retry.max_attempts === 1) return "One attempt";
  const { type, initial, factor, max, step } = typeof retry.backoff === "object" ? retry.backoff : { type: "fixed", initial: retry.backoff };
  const waits = type === "exponential" ? `waits of ${specDurationText(initial)}, times ${factor}, up to ${specDurationText(max)}`
    : type === "linear" ? `waits of ${specDurationText(initial)} and ${specDurationText(step)} more each time`
    : type === "schedule" ? "waits as listed" : `waits of ${specDurationText(initial)}`;
  return `Up to ${retry.max_attempts} attempts, ${waits}${retry.max_elapsed ? `, for ${specDurationText(retry.max_elapsed)} at most` : ""}`;
}
