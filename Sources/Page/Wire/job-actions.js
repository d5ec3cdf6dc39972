import { confirmDialog, dialogField } from "../View/dialogs.js";
import { h } from "../View/dom.js";
import { say } from "../View/notices.js";
import { jobPath, send } from "./api.js";
import { mayWrite } from "./session.js";

const final = new Set(["succeeded", "failed", "cancelled", "expired", "skipped"]);

/** Whether a job in this state is over. */
export function isFinal(state) { return final.has(state); }

/** What a person can do with jobs, and with which. */
export const jobActions = {
  cancel: {
    label: "Cancel", icon: "stop", fits: (job) => !isFinal(job.state) && job.state !== "cancelling", tone: "danger",
    text: "What has not begun never will. What is in flight is asked to stop.", asksReason: true,
    run: (id, reason) => send("POST", jobPath(id, ":cancel"), { json: reason ? { reason } : {} }),
  },
  hold: {
    label: "Hold", icon: "pause",
    fits: (job) => !isFinal(job.state) && job.state !== "paused" && job.state !== "cancelling",
    text: "What is in flight goes on to its end; nothing further begins until it is released.", asksReason: true,
    run: (id, reason) => send("POST", jobPath(id, ":hold"), { json: reason ? { reason } : {} }),
  },
  release: {
    label: "Release", icon: "play", fits: (job) => job.state === "paused",
    run: (id) => send("POST", jobPath(id, ":release"), { json: {} }),
  },
  retry: {
    label: "Retry", icon: "retry", fits: (job) => ["failed", "cancelled", "expired"].includes(job.state),
    text: "It is the same job: what succeeded keeps its result and is not run again.",
    run: (id) => send("POST", jobPath(id, ":retry"), { json: {} }),
  },
  erase: {
    label: "Erase", icon: "trash", fits: (job) => isFinal(job.state), tone: "danger",
    text: "Job, result, error and history are removed for good.",
    run: (id) => send("DELETE", jobPath(id)),
  },
};

/** The actions that fit at least one of `jobs`; none when the page may only look. */
export function actionsFor(jobs) {
  if (!mayWrite()) return [];
  return Object.keys(jobActions).filter((name) => jobs.some((job) => jobActions[name].fits(job)));
}

/** Asks, does it to each of the jobs that it fits, and says what came of it. `then` is called at the end. */
export function askAndRun(name, jobs, then) {
  const action = jobActions[name];
  const fitting = jobs.filter((job) => action.fits(job));
  const whole = fitting.length === 1 ? `“${fitting[0].name ?? fitting[0].id}”` : `${fitting.length} jobs`;
  const run = async (reason) => {
    const failed = [];
    for (let start = 0; start < fitting.length; start += 6) {
      await Promise.all(fitting.slice(start, start + 6).map(async (job) => {
        try { await action.run(job.id, reason); } catch (problem) { failed.push(problem); }
      }));
    }
    const done = fitting.length - failed.length;
    if (failed.length && !done) { then?.(); throw failed[0]; }
    say(`${action.label}: ${done === 1 && fitting.length === 1 ? "done" : `${done} jobs`}`
      + (failed.length ? `, ${failed.length} refused: ${failed[0].detail}` : ""), failed.length ? "bad" : "good");
    then?.();
  };
  if (name === "release" && fitting.length === 1) {
    run().catch((problem) => say(problem.detail, "bad"));
    return;
  }
  const reason = action.asksReason
    ? dialogField("Reason (kept in the job's events)", { name: "reason", maxlength: 1000, autocomplete: "off", autofocus: true })
    : undefined;
  const skipped = jobs.length - fitting.length;
  confirmDialog({
    title: `${action.label} ${whole}?`,
    text: [action.text, skipped ? h("span.dim", ` ${skipped} of those selected cannot be, and stay as they are.`) : null],
    action: `${action.label} ${fitting.length === 1 ? "it" : fitting.length}`,
    tone: action.tone ?? "primary", fields: reason ? [reason] : [],
    act: () => run(reason?.input.value.trim()),
  });
}
