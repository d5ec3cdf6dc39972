import { isLive, onChanges } from "./live.js";

/**
 * Does something again and again: `seconds` after it was done, not while the page is hidden, and less often while it
 * fails. Says to the page whether the server answers. With `concerns(changes)` it is done when jobs changed that it
 * says yes to, at most once in `gap` seconds, and otherwise only every `liveSeconds` while changes are pushed.
 */
export class Polling {
  constructor(task, seconds, concerns) {
    this.task = task;
    this.seconds = seconds;
    this.gap = 1;
    this.liveSeconds = concerns ? 15 : 0;
    this.failures = 0;
    this.isStopped = false;
    this.isPaused = false;
    this.doneAt = -Infinity;
    this.onSight = () => { if (!document.hidden) this.now(); };
    document.addEventListener("visibilitychange", this.onSight);
    if (concerns) this.forget = onChanges((changes) => { if (changes.all || concerns(changes)) this.soon(); });
    this.now();
  }

  /** Does it at once. */
  async now() {
    if (this.isStopped) return;
    clearTimeout(this.timer);
    if (this.isBusy) { this.again = true; return; }
    this.isBusy = true;
    this.isDue = false;
    try {
      await this.task();
      this.failures = 0;
      wireIs("well");
    } catch (error) {
      if (error.name !== "AbortError") {
        this.failures += 1;
        if (error.status === 0) wireIs("down");
        if (error.status === undefined) console.error(error);
      }
    }
    this.isBusy = false;
    this.doneAt = Date.now();
    if (this.again) { this.again = false; this.now(); return; }
    this.plan();
  }

  /** Does it as soon as the gap is over. */
  soon() {
    this.isDue = true;
    if (!this.isBusy) this.plan();
  }

  plan() {
    clearTimeout(this.timer);
    if (this.isStopped || document.hidden || this.isPaused) return;
    const wait = this.failures ? Math.min(8, this.seconds * 2 ** this.failures)
      : this.isDue ? Math.max(0, this.gap - (Date.now() - this.doneAt) / 1000)
      : isLive() ? Math.max(this.seconds, this.liveSeconds) : this.seconds;
    this.timer = setTimeout(() => this.now(), wait * 1000);
  }

  /** Stops for good. */
  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.forget?.();
    document.removeEventListener("visibilitychange", this.onSight);
  }

  /** Stops, or goes on. */
  pause(isPaused) {
    this.isPaused = isPaused;
    if (isPaused) clearTimeout(this.timer); else this.now();
  }
}

let wire = "well";

function wireIs(state) {
  if (state === wire) return;
  wire = state;
  window.dispatchEvent(new CustomEvent("wire", { detail: state }));
}
