import { countText } from "../../Basics/visible-text.js";
import { commandButton } from "../../Parts/detail-screen.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { ago, left } from "../../View/time-text.js";
import { get } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";
import { outcomeTicks } from "./outcome-ticks.js";
import { runSchedule, scheduleMark, schedulePath } from "./schedule-parts.js";
import { scheduleWords } from "./schedule-words.js";

const ticksMax = 60;
const ticksShown = 20;

/** Schedules, and when they make their next job. */
class SchedulesScreen extends TableScreen {
  title_ = "Schedules";
  path = "/v1/schedules";
  columns = ["Schedule", "When", "State", "Last outcomes", "Next", "Jobs made", ""];
  outcomes = new Map();
  empty = ["schedules", "No schedules", "A schedule makes a job at each of its planned times: every night, or every ten minutes."];
  actions = [mayWrite() && h("a.button.primary", { href: routeHref(["schedule-form"]) }, icon("compose"), "New schedule")];

  /** Reads what became of the last planned times, again when there are more or one of them goes on. */
  async prepare(schedules) {
    await Promise.all(schedules.slice(0, ticksMax).map(async ({ name, runs, failures, note, unfinished_job_ids: open }) => {
      const mark = `${runs}/${failures}/${note?.at}`;
      if (this.outcomes.get(name)?.mark === mark) return;
      const { items } = await get(schedulePath(name, "/occurrences"), { page_size: ticksShown });
      this.outcomes.set(name, { items, mark: open?.length ? undefined : mark });
    }));
    return [...this.outcomes.values()].map(({ items }) => items);
  }

  cells(schedule) {
    const { name, state } = schedule;
    const past = this.outcomes.get(name)?.items ?? [];
    const last = past.find((each) => each.job_id);
    return [
      h("a.strong", { href: routeHref(["schedules", name]) }, foreign(name)), foreign(scheduleWords(schedule.spec), { title: [schedule.spec.cron, schedule.spec.tz].filter(Boolean).join(" ") }),
      [scheduleMark(schedule), schedule.pause?.reason && h("p.dim.small", foreign(schedule.pause.reason))],
      [outcomeTicks(past), last && h("p.small.nowrap", h("a", { href: routeHref(["jobs", last.job_id]) }, last.job_state ?? "erased"), h("span.dim", " ", ago(last.decided_at)))],
      state === "active" ? left(schedule.next_at, "now") : h("span.dim", "–"), countText(schedule.runs),
      mayWrite() && commandButton("play", "Run now", () => runSchedule(name), () => this.polling.now(), "row-action"),
    ];
  }
}

export const schedulesScreen = screen("schedules-screen", SchedulesScreen, { path: "schedules", title: "Schedules", icon: "schedules", group: "work" });
