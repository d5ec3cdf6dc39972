import { writeJSON } from "../../Basics/lossless-json.js";
import { countText } from "../../Basics/visible-text.js";
import { DetailScreen, pauseButton } from "../../Parts/detail-screen.js";
import { withJobLinks } from "../../Parts/job-words.js";
import { screen } from "../../Parts/screen.js";
import { tableOf } from "../../Parts/table-screen.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { codeView } from "../../View/code-view.js";
import { confirmDialog } from "../../View/dialogs.js";
import { foreign, h } from "../../View/dom.js";
import { facts, panel, widePanel } from "../../View/facts.js";
import { icon, iconButton } from "../../View/icons.js";
import { pill, stateMark } from "../../View/states.js";
import { ago, clock } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";
import { askForBackfill } from "./backfill-form.js";
import { pauseOrResumeSchedule, plannedTimes, runSchedule, scheduleMark, schedulePath } from "./schedule-parts.js";
import { scheduleWords } from "./schedule-words.js";

const origins = { manual: "run by a person", backfill: "backfill" };

/** A schedule: its next times, and what became of those that have come. */
class ScheduleScreen extends DetailScreen {
  list = ["schedules", "Schedules"];
  keys = {
    p: ["Pause, or resume", () => this.press("pause", "play")], e: ["Edit", () => goTo(["schedule-form", this.name])],
    n: ["Run now", () => this.press("compose")],
  };

  async load() {
    const [schedule, upcoming, occurrences] = await Promise.all([
      get(schedulePath(this.name)), get(schedulePath(this.name, "/upcoming")), get(schedulePath(this.name, "/occurrences"), { page_size: 50 }),
    ]);
    return [schedule, upcoming.items, occurrences];
  }

  tell([schedule, upcoming, occurrences]) {
    const { name, state, pause, note, backfill } = schedule;
    const again = () => this.polling.now();
    return {
      mark: scheduleMark(state),
      actions: mayWrite() && [
        this.command("compose", "Run now", () => runSchedule(name)),
        pauseButton(state === "paused", () => pauseOrResumeSchedule(schedule, again), again),
        iconButton("retry", "Backfill", () => askForBackfill(name, again)),
        h("a.button", { href: routeHref(["schedule-form", name]) }, icon("edit"), "Edit"),
        iconButton("trash", "Remove", () => this.removeSchedule(schedule), "danger"),
      ],
      body: [
        h("div.two-panels",
          panel(state === "paused" ? "Next, when it is resumed" : "Next", plannedTimes(upcoming)),
          panel("About", facts(
            ["When", foreign(scheduleWords(schedule.schedule))],
            pause && ["Paused", [ago(pause.at), pause.by ? [" by ", foreign(pause.by)] : " by the server", pause.reason && h("p.dim", foreign(pause.reason))]],
            ["Jobs made", h("a", { href: routeHref(["jobs"], { schedule: name }) }, countText(schedule.runs))],
            schedule.failures > 0 && ["Failed in a row", countText(schedule.failures)],
            backfill && ["Backfill", [`${countText(backfill.made)} jobs made; at `, clock(backfill.next), ", to ", clock(backfill.to)]],
            note && ["Note", [foreign(note.detail), h("span.dim", " ", ago(note.at))]],
            ["Stored", [ago(schedule.updated_at), " by ", foreign(schedule.updated_by), `, version ${schedule.version}`]]))),
        widePanel("Past planned times", occurrences.items.length
          ? [tableOf(["Planned for", "What became of it", "Why"], occurrences.items, occurrenceCells),
            occurrences.next_page_token && h("p.dim.more-line", "The last 50 are shown.")]
          : h("p.panel-body.dim", "None yet.")),
        panel("Spec", codeView(writeJSON(schedule.schedule), { json: true, label: "schedule" }))],
    };
  }

  removeSchedule({ name, version }) {
    confirmDialog({
      title: `Remove ${name}?`, action: "Remove", tone: "danger", text: "It makes no more jobs. Its jobs go on.",
      act: async () => { await send("DELETE", schedulePath(name), { headers: { "If-Match": `"${version}"` } }); goTo(["schedules"]); },
    });
  }
}

function occurrenceCells({ scheduled_for: time, job_id: job, job_state: state, skipped, detail, origin }) {
  return [
    clock(time),
    skipped ? pill({ [skipped]: ["idle", "cross", `no job: ${skipped}`] }, skipped)
      : h("a", { href: routeHref(["jobs", job]) }, state ? stateMark(state) : "erased"),
    [origins[origin] && h("span.label", origins[origin]), detail && h("span.dim", withJobLinks(detail))],
  ];
}

export const scheduleScreen = screen("schedule-screen", ScheduleScreen, { path: "schedules", title: "Schedule", isDetail: true });
