import { pill } from "../../View/states.js";

/** The outcomes of deliveries, each with tone, sign and words. */
export const deliveryOutcomes = {
  started: ["good", "check", "Job started"], signalled: ["good", "signal", "Signal sent"], ignored: ["idle", "cross", "Ignored"],
  duplicate: ["idle", "copy", "Duplicate"], refused: ["bad", "warning", "Refused"],
};

/** The outcome of a delivery. */
export function deliveryMark(outcome) { return pill(deliveryOutcomes, outcome); }
