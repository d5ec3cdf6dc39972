-- wrk: reads. IDS names a file with one job id a line; without it, PATH_TO_READ is read again and again.
local requests, count, next_one = {}, 0, 0
function init()
  local ids = os.getenv("IDS")
  if ids then
    for id in io.lines(ids) do
      count = count + 1
      requests[count] = wrk.format("GET", "/v1/jobs/" .. id)
    end
  else
    count = 1
    requests[1] = wrk.format("GET", os.getenv("PATH_TO_READ") or "/")
  end
end
function request()
  next_one = next_one % count + 1
  return requests[next_one]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %.0f %.2f %.2f %d\n", summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status + errors.read + errors.write + errors.timeout + errors.connect))
end
