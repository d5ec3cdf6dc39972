import { countText } from "../../Basics/visible-text.js";
import { h, refill } from "../../View/dom.js";
import { jobStates, stateShape } from "../../View/states.js";

/** Groups of states that a person looks for. */
const tabs = [
  { title: "Active", states: ["running", "cancelling"], shape: "running" },
  { title: "Queued", states: ["queued", "pending"], shape: "queued" },
  { title: "Waiting", states: ["waiting", "retrying"], shape: "waiting" },
  { title: "Scheduled", states: ["scheduled"], shape: "scheduled" },
  { title: "Held", states: ["held"], shape: "held" },
  { title: "Failed", states: ["failed", "expired"], shape: "failed" },
  { title: "Succeeded", states: ["succeeded"], shape: "succeeded" },
  { title: "Cancelled", states: ["cancelled", "skipped"], shape: "cancelled" },
];

/** The counts by state; a click on one shows only these. */
export function stateTabs(element, counts, chosen, hrefFor) {
  const count = (states) => states.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0);
  const tab = (title, states, shape) => {
    const isChosen = states.length ? chosen.length > 0 && chosen.every((state) => states.includes(state)) : !chosen.length;
    const number = counts ? (states.length ? count(states) : counts.all) : undefined;
    return h("a.state-tab", {
      href: hrefFor(isChosen ? [] : states), "aria-current": isChosen ? "true" : undefined,
      class: `tone-${shape ? jobStates[shape].tone : "all"}${number === 0 ? " none" : ""}${shape === "failed" ? " is-failed" : ""}`,
    }, shape && stateShape(shape, 14), h("span", title), h("b", number === undefined ? "–" : countText(number) + (counts.isLeast && number ? "+" : "")));
  };
  refill(element, tab("All", []), tabs.map(({ title, states, shape }) => tab(title, states, shape)));
}
