import { minuteText } from "../../Basics/times.js";
import { countText } from "../../Basics/visible-text.js";
import { fill, h, svg } from "../../View/dom.js";
import { historyTicks, roundAbove } from "./history-model.js";

const parts = [["failed", "bad", "failed or expired"], ["other", "idle", "cancelled or skipped"], ["succeeded", "good", "succeeded"]];

/** Stacked bars of ends over time, in which a time is chosen by the mouse or the keyboard. `choose(from, to)` gets it. */
export class HistoryChart {
  constructor(choose) {
    this.choose = choose;
    this.said = h("p.chart-said.dim.small", { "aria-hidden": "true" });
    this.plot = h("div.chart-plot");
    this.mark = h("div.chart-mark", { hidden: true });
    this.slider = h("div.chart", {
      tabindex: "0", role: "slider", "aria-label": "Time", "aria-orientation": "horizontal", title: "Drag to choose a time",
      onkeydown: (event) => this.key(event), onpointerdown: (event) => this.begin(event), onpointermove: (event) => this.move(event),
      onpointerup: (event) => this.end(event), onpointerleave: () => { if (this.start === undefined) this.show(undefined); }, onblur: () => this.show(undefined),
    }, this.plot, this.mark);
    this.ticks = h("div.chart-ticks", { "aria-hidden": "true" });
    this.top = h("span.chart-top", { "aria-hidden": "true" });
    this.element = h("div.history", h("div.chart-head", h("p.chart-key", parts.toReversed().map(([, tone, words]) => h("span", { class: `tone-${tone}` }, h("i"), words))), this.said),
      h("div.chart-frame", this.top, this.slider), this.ticks);
  }

  /** Shows bars. */
  tell(bars) {
    this.bars = bars;
    const most = roundAbove(Math.max(0, ...bars.map((bar) => bar.count)));
    this.top.textContent = countText(most);
    fill(this.plot, svg("svg", { viewBox: `0 0 ${bars.length} 100`, preserveAspectRatio: "none", "aria-hidden": "true" }, bars.map((bar, index) => {
      let y = 100;
      return parts.map(([name, tone]) => {
        if (!bar[name]) return null;
        // One failure among thousands is seen, too.
        const height = Math.max(bar[name] / most * 100, name === "failed" ? 2 : 0.6);
        y -= height;
        return svg("rect", { class: `tone-${tone}`, x: index + 0.08, y: Math.max(0, y), width: 0.84, height });
      });
    })));
    fill(this.ticks, historyTicks(bars, innerWidth < 700 ? 4 : 8).map(({ x, text }) => h("span", { style: { left: `${(x * 100).toFixed(2)}%` } }, text)));
    this.slider.setAttribute("aria-valuemin", "0");
    this.slider.setAttribute("aria-valuemax", String(bars.length - 1));
    this.show(this.at);
  }

  /** Marks bars, and says what they tell. */
  show(at, from = at) {
    this.at = at;
    this.from = from;
    const [first, last] = [Math.min(at, from), Math.max(at, from)];
    const some = at === undefined ? this.bars : this.bars.slice(first, last + 1);
    this.mark.hidden = at === undefined || !some.length;
    if (!some.length) return;
    if (!this.mark.hidden) {
      this.mark.style.setProperty("left", `${100 * first / this.bars.length}%`);
      this.mark.style.setProperty("width", `${100 * some.length / this.bars.length}%`);
    }
    const sum = (name) => some.reduce((all, bar) => all + bar[name], 0);
    const words = `${minuteText(some[0].at)} – ${minuteText(some.at(-1).end)} · ${countText(sum("count"))} ended · ${countText(sum("failed"))} failed`;
    this.said.textContent = words;
    this.slider.setAttribute("aria-valuenow", String(at ?? this.bars.length - 1));
    this.slider.setAttribute("aria-valuetext", words);
  }

  index(event) {
    const { left, width } = this.slider.getBoundingClientRect();
    return Math.max(0, Math.min(this.bars.length - 1, Math.floor((event.clientX - left) / width * this.bars.length)));
  }

  begin(event) {
    if (!this.bars?.length || event.button) return;
    this.slider.setPointerCapture(event.pointerId);
    this.start = this.index(event);
    this.show(this.start);
  }

  move(event) { if (this.bars?.length) this.show(this.index(event), this.start ?? this.index(event)); }

  end(event) {
    if (this.start === undefined) return;
    const start = this.start;
    this.start = undefined;
    this.take(start, this.index(event));
  }

  take(one, other) {
    this.choose(new Date(this.bars[Math.min(one, other)].at).toISOString(), new Date(this.bars[Math.max(one, other)].end).toISOString());
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" && this.at !== undefined) this.take(this.at, this.from);
    else if (steps[event.key] && this.bars?.length) {
      const at = Math.max(0, Math.min(this.bars.length - 1, (this.at ?? this.bars.length) + steps[event.key]));
      this.show(at, event.shiftKey ? this.from ?? at : at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
