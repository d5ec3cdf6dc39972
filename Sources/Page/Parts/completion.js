import { jsonTokens } from "../Basics/json-text.js";

/**
 * What tells which names or words are possible at the caret, for the server knows them: the text with "?" there, which
 * is possible nowhere, and with all delimiters closed. `place` is where "?" is in `probe`; `start` and `end` are those of
 * what is `typed` now; `lead` goes before a choice, and `more` behind it. Nothing outside of JSON objects and lists.
 */
export function probeAt(text, caret) {
  const before = jsonTokens(text.slice(0, caret));
  const last = before.at(-1);
  const here = last?.end === caret && last.kind !== "mark" && before.pop();
  const start = here ? here.start : caret;
  const end = here ? caret + /^[\w-]*"?/.exec(text.slice(caret))[0].length : caret;
  const after = jsonTokens(text.slice(end));
  const open = [];
  const follow = (tokens) => tokens.forEach((token) => {
    if ("{[".includes(token.text)) open.push(token.text === "{" ? "}" : "]");
    if ("}]".includes(token.text)) open.pop();
  });
  follow(before);
  if (!open.length) return undefined;
  const [previous, next] = [before.at(-1).text, after[0]?.text];
  const more = open.at(-1) === "}" && previous !== ":" && next !== ":" ? ": " : "";
  follow(after);
  const lead = "{[,:".includes(previous) ? "" : ",";
  const head = text.slice(0, start) + lead;
  const tail = (!next || "}],:".includes(next) ? "" : ",") + text.slice(end) + open.reverse().join("");
  return { probe: `${head}"?"${more && ": 0"}${tail}`, place: head.length, start, end, lead, more, typed: here ? here.text.replaceAll("\"", "") : "" };
}
