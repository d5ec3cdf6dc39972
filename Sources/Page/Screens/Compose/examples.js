const site = "https://example.com/";

/** Jobs to begin with. */
export const examples = [
  ["One call", `curl ${site}data.json`],
  ["A call with a body, tried again", `curl -X PUT ${site}reports/today --json '{"full":true}' --retry 3`],
  ["Later, at most twice", {
    type: "network", name: "nightly_report", queue: "reports", run_at: "8h", labels: { team: "finance" },
    request: { method: "PUT", url: `${site}reports/today`, json: { full: true } }, retry: { max_attempts: 2 },
  }],
  ["Steps that build on each other", {
    type: "group", name: "login", ordered: true, operations: [
      { type: "network", name: "token", request: { method: "POST", url: "https://id.example.com/token", json: { user: "ada" } } },
      { type: "network", name: "profile", request: { url: `${site}me`, auth: { type: "bearer", token: { $get: "token", at: "/body/token" } } } },
    ],
  }],
  ["A call for each of a list", {
    type: "group", name: "orders", map: {
      items: [7, 8, 9], concurrency: 2,
      operation: { type: "network", request: { url: `${site}orders/{id}`, vars: { id: { $item: "" } } } },
    },
  }],
  ["One of several, as an answer says", {
    type: "group", name: "settle_order", operations: [
      { type: "network", name: "order", request: `${site}orders/7` },
      {
        type: "choose", name: "settle", of: [
          {
            when: { $get: "order", at: "/body/state", equals: "paid" },
            operation: { type: "network", name: "ship", request: { method: "PUT", url: `${site}shipments/7` } },
          },
        ],
        else: { type: "value", name: "open", value: { done: false } },
      },
    ],
  }],
  ["All pages of a list", {
    type: "pages", name: "orders", request: { url: `${site}orders`, query: { limit: 100 } },
    next: "link", items: { at: "/body/orders" },
  }],
  ["Only when a person approves", {
    type: "network", name: "pay_invoice", request: { method: "POST", url: `${site}pay`, json: { amount: 1200 }, idempotency_key: "auto" },
    conditions: [{ type: "approval", prompt: "Pay 1,200 EUR?", timeout: "1d" }],
  }],
  ["Download a file and check it", {
    type: "download", name: "export", request: `${site}export.csv`,
    to: { artifact: "export.csv", max_bytes: 5000000 }, verify: { content_type: "text/csv" },
  }],
  ["Start something and ask until it is done", {
    type: "poll", name: "export", request: { method: "POST", url: `${site}exports`, json: { year: 2026 }, idempotency_key: "auto" },
    follow: true, until: { at: "/body/status", equals: "done" }, every: "30s",
  }],
  ["Wait for a signal", {
    type: "group", name: "wait_for_payment", ordered: true, operations: [
      { type: "await", name: "paid", signal: "paid", timeouts: { total: "3d" } },
      { type: "network", name: "ship", request: { method: "PUT", url: `${site}shipments/7` } },
    ],
  }],
];
