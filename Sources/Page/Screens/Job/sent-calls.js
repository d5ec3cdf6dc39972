import { get, jobPath } from "../../Wire/api.js";

const keptMax = 2000;
const readAtOnce = 4;
const sentKept = new Map();

/** What went over the wire in an attempt, from the archive. */
export async function archiveEntry(job, { operation, number }) {
  const archive = await get(jobPath(job.id, "/attempts"), { operation }, { accept: "application/har+json" });
  for (const { _attempt: attempt, request } of archive.log.entries) keep(job, attempt, request);
  return archive.log.entries.find((each) => each._attempt.operation === operation && each._attempt.number === number);
}

const keyOf = (job, { operation, number }) => `${job.id}/${operation}#${number}`;

function keep(job, attempt, { method, url }) {
  if (sentKept.size >= keptMax) sentKept.clear();
  sentKept.set(keyOf(job, attempt), { method, url });
}

/** The call that was sent in an attempt, `{ method, url }`, where that was read. Events have it as the spec writes it. */
export function sentCall(job, attempt) { return sentKept.get(keyOf(job, attempt)); }

/** Reads the calls of attempts, few at a time, and tells of each: `told(attempt, call)`. What cannot be read is left out. */
export async function readSentCalls(job, attempts, told) {
  const left = [...attempts];
  const next = async () => {
    for (let attempt = left.shift(); attempt; attempt = left.shift()) {
      try { if (!sentCall(job, attempt)) await archiveEntry(job, attempt); } catch { return; }
      const call = sentCall(job, attempt);
      if (call) told(attempt, call);
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, next));
}
