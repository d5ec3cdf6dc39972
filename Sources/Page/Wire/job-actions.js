import { confirmDialog, dialogField } from "../View/dialogs.js";
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
    fits: (job) => !isFinal(job.state) && job.state !== "held" && job.state !== "cancelling",
    text: "What is in flight goes on to its end; nothing further begins until it is released.", asksReason: true,
    run: (id, reason) => send("POST", jobPath(id, ":hold"), { json: reason ? { reason } : {} }),
  },
  release: {
    label: "Release", icon: "play", fits: (job) => job.state === "held",
    run: (id) => send("POST", jobPath(id, ":release"), { json: {} }),
  },
  retry: {
    label: "Retry", icon: "retry", fits: (job) => ["failed", "cancelled", "expired"].includes(job.state),
    text: "It is the same job: what succeeded keeps its result and is not run again.",
    run: (id) => send("POST", jobPath(id, ":retry"), { json: {} }),
  },
  requeue: {
    label: "Requeue", icon: "copy", fits: (job) => isFinal(job.state), isForMany: true,
    text: "Each spec is submitted again, as a new job; the ended jobs stay as they are.",
  },
  erase: {
    label: "Erase", icon: "trash", fits: (job) => isFinal(job.state), tone: "danger",
    text: "Job, result, error and history are removed for good.",
    run: (id) => send("DELETE", jobPath(id)),
  },
};

/** The actions that fit a job; none when the page may only look. */
export function actionsFor(job) {
  if (!mayWrite()) return [];
  return Object.keys(jobActions).filter((name) => !jobActions[name].isForMany && jobActions[name].fits(job));
}

/** Asks, does it to a job, and says what came of it. `then` is called at the end with whether it was done. */
export function askAndRun(name, job, then) {
  const action = jobActions[name];
  const run = async (reason) => {
    let isDone;
    try { await action.run(job.id, reason); isDone = true; } finally { then?.(isDone); }
    say(`${action.label}: done`, "good");
  };
  if (name === "release") {
    run().catch((problem) => say(problem.detail, "bad"));
    return;
  }
  const reason = action.asksReason ? reasonField() : undefined;
  confirmDialog({
    title: `${action.label} “${job.name ?? job.id}”?`, text: action.text, action: `${action.label} it`,
    tone: action.tone ?? "primary", fields: reason ? [reason] : [],
    act: () => run(reason?.input.value.trim()),
  });
}

/** The field for why something is done to jobs. */
export function reasonField() {
  return dialogField("Reason (kept in the job's events)", { name: "reason", maxlength: 1000, autofocus: true });
}
