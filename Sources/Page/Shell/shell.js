import { countText } from "../Basics/visible-text.js";
import { fill, h } from "../View/dom.js";
import { closeDialog } from "../View/dialogs.js";
import { icon, logo } from "../View/icons.js";
import { applyPreferences, nextPreference, preference } from "../View/preferences.js";
import { emptyPanel, noticePlace, problemPanel, sayProblem } from "../View/notices.js";
import { ago } from "../View/time-text.js";
import { get, isWireWell } from "../Wire/api.js";
import { startLive, stopLive } from "../Wire/live.js";
import { Polling, stalePolling } from "../Wire/polling.js";
import { mayRead, mayWrite, readSession, session, signOut } from "../Wire/session.js";
import { listenToKeys, setScreenKeys, showKeys } from "./keys.js";
import { currentRoute, goTo, routeHref } from "./route.js";
import { signInForm } from "./sign-in.js";

/** The frame of the page: who is where, and the screen that the address names. */
class Shell {
  constructor(screens) {
    this.screens = screens;
    this.badges = new Map();
    applyPreferences();
    window.addEventListener("hashchange", () => this.showRoute());
    window.addEventListener("signed-out", () => this.start());
    window.addEventListener("wire", ({ detail }) => {
      this.showWire();
      if (detail === "well" && this.main) readSession().catch(() => undefined);
    });
    window.addEventListener("polled", () => this.showWire());
    window.addEventListener("decided", () => this.polling?.now());
    listenToKeys();
    this.start();
  }

  async start() {
    this.stop();
    try { await readSession(); } catch (problem) {
      fill(document.body, h("main.lonely", problemPanel(problem, () => this.start())));
      setTimeout(() => { if (!this.main) this.start(); }, 5000);
      return;
    }
    if (!mayRead() && (session.name === undefined || !session.asksForToken)) {
      fill(document.body, signInForm(() => this.start()), noticePlace());
      return;
    }
    if (!mayRead()) {
      fill(document.body, h("main.lonely", problemPanel({
        title: "This token may not look", detail: `The token “${session.name}” lacks the scope “read”.`,
      }), h("p", this.signOutButton("Sign out, for another token"))), noticePlace());
      return;
    }
    this.build();
    this.showRoute();
    startLive();
    // The screen first.
    this.badgeTimer = setTimeout(() => { this.polling = new Polling(() => this.readBadges(), 10, () => false); }, 400);
  }

  stop() {
    stopLive();
    clearTimeout(this.badgeTimer);
    this.polling?.stop();
    this.screen?.remove();
    this.screen = undefined;
    this.main = undefined;
  }

  build() {
    this.main = h("main", { id: "main", tabindex: "-1" });
    this.wire = h("div.wire-banner", { role: "alert", hidden: true });
    this.links = new Map();
    const link = (screen) => {
      const badge = h("span.badge", { hidden: true });
      this.badges.set(screen.path, badge);
      // A server that is alone needs no screen of servers.
      const made = h("a.nav-link", { hidden: screen.path === "servers", href: routeHref([screen.path]) }, icon(screen.icon), h("span", screen.title), badge);
      this.links.set(screen.path, made);
      return made;
    };
    const group = (name, title) => {
      const found = this.screens.filter((screen) => screen.group === name && this.mayShow(screen));
      return found.length ? h("div.nav-group", title && h("h2", title), found.map(link)) : null;
    };
    const toggle = h("button.quiet.nav-toggle", {
      "aria-label": "Menu", "aria-expanded": "false", onclick: () => this.openMenu(),
    }, icon("menu"));
    this.toggle = toggle;
    fill(document.body,
      h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); this.main.focus(); } }, "Skip to the content"),
      h("div.shell",
        h("header.side",
          h("div.brand",
            h("a.brand-link", { href: routeHref(["overview"]) }, logo(22), h("span", "jobserver")),
            toggle),
          h("nav", { "aria-label": "Screens" }, group("work"), group("kept", "Stored"), group("server", "Server")),
          h("div.side-foot",
            session.page === "read" && h("p.read-only", { title: "Started with --page read" }, icon("info", 14), "Shows only"),
            session.page !== "read" && !mayWrite() && h("p.read-only", { title: "The token lacks the scope “write”" }, icon("info", 14), "You may look only"),
            session.asksForToken && h("p.who", h("span", h("span.dim", "Signed in as "), h("b", session.name), session.tenant && [h("span.dim", " of "), session.tenant]), this.signOutButton()),
            this.preferenceButton("theme", "theme", { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }),
            this.preferenceButton("zone", "clock", { local: "Times: local", utc: "Times: UTC" }),
            h("button.quiet.keys-button", { onclick: showKeys }, icon("keyboard"), "Keyboard", h("kbd", "?")))),
        h("div.content", this.wire, this.main)),
      noticePlace());
  }

  /** Whether this browser may see a screen. The server as a whole is not for tenants. */
  mayShow(screen) { return (mayWrite() || !screen.writes) && !(session.tenant && screen.group === "server"); }

  /** A button that changes how the page looks. */
  preferenceButton(name, sign, words) {
    const word = h("span", words[preference(name)]);
    return h("button.quiet.keys-button", { onclick: () => {
      word.textContent = words[nextPreference(name)];
      // Times are written anew.
      if (name === "zone") { this.screen?.remove(); this.screen = undefined; this.showRoute(); }
    } }, icon(sign), word);
  }

  signOutButton(text = "") {
    return h("button.quiet", {
      title: "Sign out", "aria-label": "Sign out",
      onclick: async () => { try { await signOut(); this.start(); } catch (problem) { sayProblem(problem); } },
    }, icon("out"), text);
  }

  openMenu(isOpen = !document.body.classList.contains("menu-open")) {
    document.body.classList.toggle("menu-open", isOpen);
    this.toggle.setAttribute("aria-expanded", String(isOpen));
  }

  showRoute() {
    if (!this.main) return;
    const route = currentRoute();
    const path = route.parts[0];
    if (!path) { goTo(["overview"], {}, { replace: true }); return; }
    this.openMenu(false);
    closeDialog();
    for (const [name, link] of this.links) {
      if (name === path) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    const found = this.screens.find((screen) => screen.path === path && (route.parts.length > 1) === Boolean(screen.isDetail))
      ?? this.screens.find((screen) => screen.path === path && !screen.isDetail);
    if (!found || !this.mayShow(found)) {
      this.screen?.remove();
      this.screen = undefined;
      setScreenKeys({});
      document.title = "jobserver";
      const why = !found ? "There is no such screen" : found.writes ? "The page may only look" : "This is about the whole server";
      fill(this.main, emptyPanel("search", why,
        h("p", h("a", { href: routeHref(["jobs"]) }, "See the jobs"))));
      return;
    }
    const key = found.isDetail ? `${found.path}/${route.parts[1]}` : found.path;
    if (this.screenKey !== key || !this.screen?.isConnected) {
      this.screen?.remove();
      setScreenKeys({});
      this.screen = found.make();
      this.screenKey = key;
      document.title = `${found.title} · jobserver`;
      fill(this.main, this.screen);
      this.screen.show(route);
      // These lay out the page, which its first request need not wait for.
      if (!this.main.contains(document.activeElement)) this.main.focus({ preventScroll: true });
      window.scrollTo(0, 0);
      this.screen.restore?.();
    } else {
      this.screen.show(route);
    }
  }

  async readBadges() {
    const isWhole = !session.tenant;
    const [approvals, origins, servers] = await Promise.all([
      get("/v1/approvals", { state: "open", page_size: 100 }), isWhole && get("/v1/origins", { page_size: 100 }),
      isWhole && get("/v1/servers"),
    ]);
    this.showBadge("approvals", approvals.items.length, approvals.next_page_token !== undefined, "open");
    if (!isWhole) return;
    this.links.get("servers").hidden = servers.items.length < 2;
    this.showBadge("origins", origins.items.filter((origin) => origin.state !== "open").length, false, "held back");
  }

  showBadge(path, count, hasMore, what) {
    const badge = this.badges.get(path);
    if (!badge) return;
    badge.hidden = count === 0;
    badge.textContent = hasMore ? `${countText(count)}+` : countText(count);
    badge.title = `${count} ${what}`;
  }

  /** Says that the server does not answer, or does not say what is shown, and how old that is. */
  showWire() {
    if (!this.wire) return;
    const stale = stalePolling();
    const isAway = !isWireWell();
    const said = isAway ? "The server does not answer" : stale?.failures > 1 ? stale.problem.title ?? "Something went wrong" : "";
    this.wire.hidden = !said;
    const time = said && stale ? new Date(stale.wellAt).toISOString() : "";
    if (this.wireWords === said + time) return;
    this.wireWords = said + time;
    fill(this.wire, icon("warning"), h("span", said, ". ", time ? ["What you see is from ", ago(time), "; the page keeps trying."] : "The page keeps trying."));
  }
}

/** Starts the page with these screens. */
export function startShell(screens) { return new Shell(screens); }
