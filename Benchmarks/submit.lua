-- wrk: submits jobs. SPEC is the body; {seq} in it becomes a number that no other request has.
local spec = os.getenv("SPEC")
local numbered = spec:find("{seq}", 1, true)
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end
local seq, fixed = 0, nil
local headers = { ["Content-Type"] = "application/json" }
function init()
  fixed = wrk.format("POST", "/v1/jobs", headers, spec)
end
function request()
  if not numbered then return fixed end
  seq = seq + 1
  return wrk.format("POST", "/v1/jobs", headers, (spec:gsub("{seq}", number .. "-" .. seq)))
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %.0f %.2f %.2f %d\n", summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status + errors.read + errors.write + errors.timeout + errors.connect))
end
