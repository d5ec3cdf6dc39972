import { serverRoot, serverURL } from "./api.js";

// One event stream a browser: the tab that holds a lock reads it and passes the changes on. Without locks (as over HTTP from
// another machine) pages ask again and again instead, which they also do while there is no stream.

const listeners = new Set();
const signMax = 20_000;
let lastSign = -Infinity;
let endLive;

/** Whether this page is notified of changes of jobs. The server gives a sign of life every 15 s. */
export function isLive() { return Date.now() - lastSign < signMax; }

/** Calls `listener({ ids, all })` when jobs have changed: those with these ids, or any. Gives what ends that. */
export function onChanges(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to follow the changes of all jobs. */
export function startLive() {
  if (endLive || !navigator.locks) return;
  const name = `jobserver:${serverRoot.pathname}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => deliver(data);
  const publish = (changes) => { deliver(changes); channel.postMessage(changes); };
  let leave;
  let timer;
  const ask = () => {
    clearTimeout(timer);
    // A tab that is not seen is slowed down by its browser: another one reads the stream then.
    if (document.hidden) { timer = setTimeout(() => leave?.(), 5000); return; }
    if (leave) return;
    const abort = new AbortController();
    leave = () => { abort.abort(); leave = undefined; };
    navigator.locks.request(name, { signal: abort.signal }, () => new Promise((done) => {
      const end = readStream(publish);
      leave = () => { end(); done(); leave = undefined; };
    })).catch(() => undefined);
  };
  // Browsers keep pages that are left, for the Back key: those follow nothing.
  const hide = () => leave?.();
  document.addEventListener("visibilitychange", ask);
  window.addEventListener("pageshow", ask);
  window.addEventListener("pagehide", hide);
  ask();
  endLive = () => {
    endLive = undefined;
    lastSign = -Infinity;
    document.removeEventListener("visibilitychange", ask);
    window.removeEventListener("pageshow", ask);
    window.removeEventListener("pagehide", hide);
    clearTimeout(timer);
    leave?.();
    channel.close();
  };
}

/** Follows no more. */
export function stopLive() { endLive?.(); }

function deliver(changes) {
  lastSign = changes.isDown ? -Infinity : Date.now();
  for (const listener of listeners) listener(changes);
}

/** Reads the stream and publishes what changed, several changes at a time. Returns the function that ends it. */
function readStream(publish) {
  const changed = new Set();
  let source;
  let timer;
  let again;
  const flush = () => {
    timer = undefined;
    publish(changed.size > 100 ? { all: true } : { ids: [...changed] });
    changed.clear();
  };
  const note = ({ data }) => {
    changed.add(JSON.parse(data).id);
    timer ??= setTimeout(flush, 150);
  };
  const open = () => {
    source = new EventSource(serverURL("/v1/events"));
    let isNew = true;
    source.onmessage = note;
    source.addEventListener("erased", note);
    // Changes before its first event are not in the stream.
    source.addEventListener("bookmark", () => { publish({ ids: [], all: isNew }); isNew = false; });
    source.addEventListener("reset", () => publish({ all: true }));
    source.onerror = () => {
      isNew = true;
      publish({ all: true, isDown: true });
      if (source.readyState === EventSource.CLOSED) again = setTimeout(open, 10_000);
    };
  };
  open();
  return () => { source.close(); clearTimeout(timer); clearTimeout(again); };
}
