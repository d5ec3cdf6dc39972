import { writeJSON } from "../../Basics/lossless-json.js";
import { shortened } from "../../Basics/visible-text.js";

const itemNames = ["id", "name", "key", "code", "email", "sku", "slug", "title"];
const itemMax = 60;

/**
 * What a spec says of the operations of its job: `items`, the element of the list of each member of a map, as text;
 * `edges`, how those may end that an operation follows: by address, a map from the other address to states or `any`; and
 * `streams`, the addresses of calls whose content can be read while it arrives, with `*` for each number.
 */
export function specFacts(spec) {
  const facts = { items: new Map(), edges: new Map(), streams: new Set() };
  note(spec, "", facts);
  return facts;
}

function note(operation, address, facts) {
  const within = (name) => (address ? `${address}/${name}` : String(name));
  if (operation?.stream) facts.streams.add(address);
  for (const copied of [operation?.map?.operation, operation?.operation]) if (copied) note(copied, within("*"), facts);
  const items = operation?.map?.items;
  if (Array.isArray(items)) items.forEach((item, index) => facts.items.set(within(index + 1), itemText(item)));
  if (!Array.isArray(operation?.operations)) return;
  operation.operations.forEach((member, index) => {
    const own = within(member?.name ?? index + 1);
    for (const each of [member?.after ?? []].flat()) {
      if (!each?.operation || !each.states) continue;
      if (!facts.edges.has(own)) facts.edges.set(own, new Map());
      facts.edges.get(own).set(within(each.operation), each.states);
    }
    note(member, own, facts);
  });
}

function itemText(item) {
  if (item === null || typeof item !== "object") return shortened(String(item), itemMax);
  const name = itemNames.find((each) => ["string", "number"].includes(typeof item[each]));
  return shortened(name ? String(item[name]) : writeJSON(item), itemMax);
}

/** The name of an operation; of a member of a map its number and its element, for all have one name. */
export function operationName({ name, operation }, items) { return items?.has(operation) ? `${operation.split("/").at(-1)} · ${items.get(operation)}` : name; }

/** Whether an edge is there for failures: with success alone the other operation is not run. */
export function isForFailure(states) { return Array.isArray(states) && !states.includes("succeeded"); }
