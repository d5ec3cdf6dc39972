import { parseJSON } from "../Basics/lossless-json.js";

const messageNames = ["message", "detail", "error_description", "description", "reason", "title", "error", "code"];

/** The upstream's own message of an error, when its answer has one: `Item 7 is sold out`. */
export function upstreamMessage(error) {
  const text = error?.upstream?.body_excerpt;
  if (!text || text.length > 20_000) return undefined;
  let value;
  try { value = parseJSON(text); } catch { return /^[^<{[][^\n]{0,200}$/.test(text.trim()) ? text.trim() : undefined; }
  return messageIn(value, 3);
}

function messageIn(value, depth) {
  if (typeof value === "string") return value.trim() || undefined;
  if (!value || typeof value !== "object" || !depth) return undefined;
  if (Array.isArray(value)) return messageIn(value[0], depth - 1);
  const inner = value.error ?? value.errors;
  if (inner && typeof inner === "object") {
    const found = messageIn(inner, depth - 1);
    if (found) return found;
  }
  for (const name of messageNames) if (typeof value[name] === "string" && value[name].trim()) return value[name].trim();
  return undefined;
}

/** A text of the server for people: without the names that only the API has. */
export function plainWords(text) {
  return text
    .replace(/ (Its answer is in upstream\.body_excerpt|upstream\.body_excerpt shows how it begins)\./, "")
    .replace(/ Release it with :release\./, "")
    .replace("It is runnable and waits for its turn", "It waits for its turn")
    .replace("It starts at its run_at.", "Its time has not come.")
    .replace(/,? or at once after POST \/v1\/origins\/\S+:reset\.?/, ", or at once when the origin is reset.")
    .replace(/: POST \/v1\/approvals\/\S+ or :reject\./, ", below.")
    .replace(/: POST \S+\.$/, ".")
    .replace(/ at \d{4}-\d\d-\d\dT[\d:.]+Z/g, " by itself");
}
