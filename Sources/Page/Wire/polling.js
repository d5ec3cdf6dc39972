import { isLive, onChanges } from "./live.js";

const pollings = new Set();

/** How long a polling that failed so often waits for its next try, in seconds. */
const waitAfter = (failures) => Math.min(8, 2 ** (failures - 1));

// The server answers again: each that failed tries at once, whatever its wait.
window.addEventListener("wire", ({ detail }) => {
  for (const polling of pollings) if (detail === "well" && polling.failures && !polling.isPaused) polling.now();
});

/** A polling that fails, if any: what it shows is as old as its `wellAt`, and `problem` says why. */
export function stalePolling() { return [...pollings].find((polling) => polling.failures && polling.wellAt); }

/**
 * Does something again and again: `seconds` after it was done, not while the page is hidden, and less often while it
 * fails. With `concerns(changes)` it is done when jobs changed that it says yes to, at most once in `gap` seconds, and
 * otherwise only every `liveSeconds` while changes are pushed. `told` is called after each try; `isWell` says whether the
 * last one succeeded.
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
    pollings.add(this);
    this.now();
  }

  get isWell() { return this.failures === 0; }

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
      this.wellAt = Date.now();
    } catch (error) {
      if (error.name !== "AbortError") {
        this.failures += 1;
        this.problem = error;
        if (error.status === undefined) console.error(error);
      }
    }
    this.isBusy = false;
    this.doneAt = Date.now();
    this.told?.();
    window.dispatchEvent(new Event("polled"));
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
    const wait = this.failures ? Math.max(0, waitAfter(this.failures) - (Date.now() - this.doneAt) / 1000)
      : this.isDue ? Math.max(0, this.gap - (Date.now() - this.doneAt) / 1000)
      : isLive() ? Math.max(this.seconds, this.liveSeconds) : this.seconds;
    this.timer = setTimeout(() => this.now(), wait * 1000);
  }

  /** Stops for good. */
  stop() {
    this.isStopped = true;
    pollings.delete(this);
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
