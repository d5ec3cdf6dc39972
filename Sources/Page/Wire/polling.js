/**
 * Does something again and again: `seconds` after it was done, not while the page is hidden, and less often while it
 * fails. Says to the page whether the server answers.
 */
export class Polling {
  constructor(task, seconds) {
    this.task = task;
    this.seconds = seconds;
    this.failures = 0;
    this.isStopped = false;
    this.isPaused = false;
    this.onSight = () => { if (!document.hidden) this.now(); };
    document.addEventListener("visibilitychange", this.onSight);
    this.now();
  }

  /** Does it at once. */
  async now() {
    if (this.isStopped) return;
    clearTimeout(this.timer);
    if (this.isBusy) { this.again = true; return; }
    this.isBusy = true;
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
    if (this.isStopped) return;
    if (this.again) { this.again = false; this.now(); return; }
    if (document.hidden || this.isPaused) return;
    const wait = this.failures ? Math.min(8, this.seconds * 2 ** this.failures) : this.seconds;
    this.timer = setTimeout(() => this.now(), wait * 1000);
  }

  /** Stops for good. */
  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
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
