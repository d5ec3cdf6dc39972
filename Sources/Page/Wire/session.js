import { get, send } from "./api.js";

/** What this browser may do here. */
export const session = { asksForToken: false, page: "full", name: undefined, tenant: undefined, scopes: [] };

/** Whether the page may show jobs. */
export function mayRead() { return session.scopes.includes("read"); }

/** Whether the page may change something. */
export function mayWrite() { return session.page === "full" && session.scopes.includes("write"); }

/** Whether the page may change settings. */
export function mayAdmin() { return session.page === "full" && session.scopes.includes("admin"); }

/** Asks the server. */
export async function readSession() { take(await get("/session")); }

/** Signs in with a token, which is sent once and kept nowhere. */
export async function signIn(token) { take((await send("POST", "/session", { json: { token } })).data); }

/** Signs out. */
export async function signOut() {
  await send("DELETE", "/session");
  await readSession();
}

function take(answer) {
  session.asksForToken = answer.asks_for_token;
  session.page = answer.page;
  session.name = answer.name;
  session.tenant = answer.tenant;
  session.scopes = answer.scopes;
}
