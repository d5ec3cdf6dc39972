import { isCurl } from "../../Parts/problem-places.js";

/** What a job would store for all who may read it, or send otherwise than was meant; as texts. */
export function secretWarnings(text) {
  const found = [];
  if (/\bauthorization["']?\s*:\s*["']?\s*(bearer|basic|token)\s+[\w.~+/=-]{3,}/i.test(text) || (isCurl(text) && /\s(-u|--user)[\s=]/.test(text))) {
    found.push("These credentials would be stored with the job, for all who may read it. Store them as a secret, and write { \"$secret\": \"NAME\" } in request.auth.");
  }
  const quoted = isCurl(text) && /'[^']*(\$\{?[A-Za-z_]\w*)[^']*'/.exec(text.replace(/(--json|-d|--data(-\w+)?)[\s=]+'[^']*'/g, ""));
  if (quoted) found.push(`${quoted[1]} is in single quotes: a shell would not fill it in, and it is sent as it is written.`);
  return found;
}
