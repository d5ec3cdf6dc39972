import { countText } from "../../Basics/visible-text.js";
import { commandButton } from "../../Parts/detail-screen.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { left } from "../../View/time-text.js";
import { mayWrite } from "../../Wire/session.js";
import { runSchedule, scheduleMark } from "./schedule-parts.js";
import { scheduleWords } from "./schedule-words.js";

/** Schedules, and when they make their next job. */
class SchedulesScreen extends TableScreen {
  title_ = "Schedules";
  path = "/v1/schedules";
  columns = ["Schedule", "When", "State", "Next", "Jobs made", ""];
  empty = ["schedules", "No schedules", "A schedule makes a job at each of its planned times: every night, or every ten minutes."];
  actions = [mayWrite() && h("a.button.primary", { href: routeHref(["schedule-form"]) }, icon("compose"), "New schedule")];

  cells(schedule) {
    const { name, state } = schedule;
    return [
      h("a.strong", { href: routeHref(["schedules", name]) }, foreign(name)), foreign(scheduleWords(schedule.spec)),
      [scheduleMark(schedule), schedule.pause?.reason && h("p.dim.small", foreign(schedule.pause.reason))],
      state === "active" ? left(schedule.next_at, "now") : h("span.dim", "–"), countText(schedule.runs),
      mayWrite() && commandButton("compose", "Run now", () => runSchedule(name), () => this.polling.now()),
    ];
  }
}

export const schedulesScreen = screen("schedules-screen", SchedulesScreen, { path: "schedules", title: "Schedules", icon: "schedules", group: "work" });
