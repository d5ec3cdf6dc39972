import assert from "node:assert/strict";
import test from "node:test";

// What the modules need of a browser.
const changed = new EventTarget();
globalThis.window = changed;
globalThis.document = { baseURI: "http://server/page/", hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.CustomEvent ??= class extends Event { constructor(name, { detail }) { super(name); this.detail = detail; } };
let isUp = true;
globalThis.fetch = async () => {
  if (!isUp) throw new TypeError("refused");
  return new Response("{}", { headers: { "content-type": "application/json" } });
};
const { Polling } = await import("../../../Sources/Page/Wire/polling.js");
const { send } = await import("../../../Sources/Page/Wire/api.js");

/** A polling of a server, with the turns that its task had; `pass(seconds)` lets time go by. */
function polled(context, seconds) {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  isUp = true;
  const turns = [];
  const polling = new Polling(async () => { turns.push(Date.now()); await send("GET", "/x"); }, seconds);
  context.after(() => polling.stop());
  const settle = async () => { for (let turn = 0; turn < 12; turn += 1) await Promise.resolve(); };
  return { polling, turns, settle, pass: async (time) => {
    for (let left = time * 1000; left > 0; left -= 250) { context.mock.timers.tick(250); await new Promise(setImmediate); }
  } };
}

test("events do not keep a polling that failed from its next try", async (context) => {
  const { polling, turns, pass } = polled(context, 2);
  await pass(1);
  isUp = false;
  await pass(30);
  assert.equal(polling.isWell, false);
  isUp = true;
  const before = turns.length;
  for (let second = 0; second < 10; second += 1) { polling.soon(); await pass(1); }
  assert.ok(turns.length > before, "it was done in 10 s with an event each second");
  assert.equal(polling.isWell, true);
});

test("when the server answers anything, all that failed is tried at once", async (context) => {
  const { polling, turns, pass } = polled(context, 2);
  await pass(1);
  isUp = false;
  await pass(40);
  const before = turns.length;
  isUp = true;
  await send("GET", "/y");
  await new Promise(setImmediate);
  assert.equal(turns.length, before + 1);
  assert.equal(polling.isWell, true);
});

test("the state of the connection is that of the last request", async (context) => {
  const said = [];
  const listen = ({ detail }) => said.push(detail);
  changed.addEventListener("wire", listen);
  context.after(() => changed.removeEventListener("wire", listen));
  isUp = true;
  await send("GET", "/x");
  isUp = false;
  await assert.rejects(send("POST", "/x"));
  await assert.rejects(send("GET", "/x"));
  isUp = true;
  await send("GET", "/x");
  assert.deepEqual(said, ["down", "well"]);
});
