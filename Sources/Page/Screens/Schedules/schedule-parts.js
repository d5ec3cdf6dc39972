import { countText } from "../../Basics/visible-text.js";
import { dialogField, confirmDialog } from "../../View/dialogs.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { say } from "../../View/notices.js";
import { pill } from "../../View/states.js";
import { left } from "../../View/time-text.js";
import { goTo } from "../../Shell/route.js";
import { send } from "../../Wire/api.js";
import { localTimeText } from "./schedule-words.js";

const scheduleStates = { active: ["good", "check", "Active"], paused: ["hold", "pause", "Paused"], over: ["idle", "stop", "Over"] };

/** The state of a schedule: an active one whose last jobs failed is failing. */
export function scheduleMark({ state, failures }) {
  if (state === "active" && failures > 0) return pill({ failing: ["bad", "warning", failures === 1 ? "Last one failed" : `Failing ${countText(failures)} ×`] }, "failing");
  return pill(scheduleStates, state);
}

/** The path of a schedule in the API, or of something below it. */
export function schedulePath(name, rest = "") { return `/v1/schedules/${encodeURIComponent(name)}${rest}`; }

/** Planned times, each with what the clocks do. */
export function plannedTimes(times) {
  return times.length ? h("ol.times", times.map((time) => h("li",
    h("time", { datetime: time.scheduled_for }, localTimeText(time.local)), h("span.dim", left(time.runs_at, "now")),
    time.notes.map((note) => h("p.warning-line", icon("info"), h("span", foreign(note)))))))
    : h("p.dim", "Nothing is planned any more.");
}

/** Lets a schedule go on, or asks why it is paused. `then` is called after. */
export function pauseOrResumeSchedule({ name, state }, then) {
  const command = async (verb, json) => { await send("POST", schedulePath(name, verb), { json }); then(); };
  if (state === "paused") return command(":resume", {});
  const reason = dialogField("Reason", { maxlength: 1000, autofocus: true });
  return confirmDialog({
    title: `Pause ${name}?`, action: "Pause", fields: [reason], text: "No jobs are made until it is resumed, and those times are not caught up. Jobs that were made go on.",
    act: () => command(":pause", reason.input.value.trim() ? { reason: reason.input.value.trim() } : {}),
  });
}

/** Makes a job at once; asks first when an earlier one has not ended. */
export async function runSchedule(name) {
  const run = async (json) => {
    const { data } = await send("POST", schedulePath(name, ":run"), { json });
    say("The job is stored", "good");
    goTo(["jobs", data.id]);
  };
  try { await run({}); } catch (problem) {
    if (problem.status !== 409) throw problem;
    confirmDialog({ title: "Run one more?", text: problem.detail, action: "Run beside it", act: () => run({ overlap: "allow" }) });
  }
}
