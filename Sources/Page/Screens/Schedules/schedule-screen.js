import { writeJSON } from "../../Basics/lossless-json.js";
import { countText } from "../../Basics/visible-text.js";
import { DetailScreen, pauseButton } from "../../Parts/detail-screen.js";
import { matterOf, withJobLinks } from "../../Parts/job-words.js";
import { screen } from "../../Parts/screen.js";
import { tableOf } from "../../Parts/table-screen.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { codeView } from "../../View/code-view.js";
import { confirmDialog } from "../../View/dialogs.js";
import { byWhom, foreign, h } from "../../View/dom.js";
import { facts, panel, widePanel } from "../../View/facts.js";
import { icon, iconButton } from "../../View/icons.js";
import { pill, stateMark } from "../../View/states.js";
import { ago } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";
import { askForBackfill } from "./backfill-form.js";
import { outcomeTicks } from "./outcome-ticks.js";
import { pauseOrResumeSchedule, plannedTimes, runSchedule, scheduleMark, schedulePath } from "./schedule-parts.js";
import { foldedOccurrences, scheduleWords, zonedTimeText } from "./schedule-words.js";

const origins = { manual: "run by a person", backfill: "backfill" };

/** A schedule: its next times, and what became of those that have come. */
class ScheduleScreen extends DetailScreen {
  list = ["schedules", "Schedules"];
  keys = {
    p: ["Pause, or resume", () => this.press("pause", "resume")], e: ["Edit", () => goTo(["schedule-form", this.name])],
    n: ["Run now", () => this.press("play")],
  };

  async load() {
    const [schedule, upcoming, occurrences, failed] = await Promise.all([
      get(schedulePath(this.name)), get(schedulePath(this.name, "/upcoming"), { page_size: 10 }), get(schedulePath(this.name, "/occurrences"), { page_size: 200 }),
      get("/v1/jobs", { schedule: this.name, state: "failed,expired", view: "full", page_size: 50 }),
    ]);
    return [schedule, upcoming.items, occurrences, failed.items];
  }

  tell([schedule, upcoming, occurrences, failed]) {
    const { name, state, pause, note, backfill } = schedule;
    const again = () => this.polling.now();
    const failures = new Map(failed.map((job) => [job.id, job]));
    const zone = schedule.spec.tz;
    return {
      mark: scheduleMark(schedule),
      actions: mayWrite() && [
        this.command("play", "Run now", () => runSchedule(name)),
        pauseButton(state === "paused", () => pauseOrResumeSchedule(schedule, again), again),
        iconButton("history", "Backfill", () => askForBackfill(name, again, zone)),
        h("a.button", { href: routeHref(["schedule-form", name]) }, icon("edit"), "Edit"),
        iconButton("trash", "Remove", () => this.removeSchedule(schedule), "danger"),
      ],
      body: [
        h("div.two-panels",
          panel(state === "paused" ? "Next, when it is resumed" : "Next", plannedTimes(upcoming)),
          panel("About", facts(
            schedule.failures > 0 && ["Failing", h("b.tone-bad", schedule.failures === 1 ? "its last job failed" : `its last ${countText(schedule.failures)} jobs failed`)],
            ["When", foreign(scheduleWords(schedule.spec))],
            pause && ["Paused", [ago(pause.at), byWhom(pause.by), pause.reason && h("p.dim", foreign(pause.reason))]],
            ["Jobs made", h("a", { href: routeHref(["jobs"], { schedule: name }) }, countText(schedule.runs))],
            backfill && ["Backfill", `${countText(backfill.made)} jobs made; at ${zonedTimeText(backfill.next, zone)}, to ${zonedTimeText(backfill.to, zone)}`],
            note && ["Note", [foreign(note.detail), h("span.dim", " ", ago(note.at))]],
            ["Stored", [ago(schedule.updated_at), byWhom(schedule.updated_by), `, version ${schedule.version}`]]))),
        widePanel("Past planned times", occurrences.items.length
          ? [h("p.ticks-line", outcomeTicks(occurrences.items.slice(0, 60))),
            tableOf(["Planned for", "What became of it", "Why"], foldedOccurrences(occurrences.items, (each) => failures.get(each.job_id)?.error?.code), (run) => occurrenceCells(run, zone, failures, name)),
            occurrences.next_page_token && h("p.dim.more-line", "The last 200 are shown.")]
          : h("p.panel-body.dim", "None yet.")),
        panel("Spec", codeView(writeJSON(schedule.spec), { json: true, label: "schedule" }))],
    };
  }

  removeSchedule({ name, version }) {
    confirmDialog({
      title: `Remove ${name}?`, action: "Remove", tone: "danger", text: "It makes no more jobs. Its jobs go on.",
      act: async () => { await send("DELETE", schedulePath(name), { headers: { "If-Match": `"${version}"` } }); goTo(["schedules"]); },
    });
  }
}

function occurrenceCells({ items, first, last }, zone, failures, name) {
  const { scheduled_for: time, job_id: job, job_state: state, skipped, detail, origin } = last;
  return [
    items.length > 1 ? [zonedTimeText(first.scheduled_for, zone), h("br"), "to ", zonedTimeText(time, zone)] : zonedTimeText(time, zone),
    skipped ? pill({ [skipped]: ["idle", "cross", `${items.length > 1 ? `${items.length} × ` : ""}no job: ${skipped}`] }, skipped)
      : h("a", { href: items.length > 1 ? routeHref(["jobs"], { schedule: name, state }) : routeHref(["jobs", job]) }, state ? stateMark(state, items.length > 1 ? `${items.length} × ${state}` : state) : "erased"),
    [failures.has(job) && [matterOf(failures.get(job)), items.length > 1 && [" ", h("a.small", { href: routeHref(["jobs", job]) }, "The last")]], origins[origin] && h("span.label", origins[origin]), detail && h("span.dim", withJobLinks(detail))],
  ];
}

export const scheduleScreen = screen("schedule-screen", ScheduleScreen, { path: "schedules", title: "Schedule", isDetail: true });
