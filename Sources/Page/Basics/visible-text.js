// eslint-disable-next-line no-control-regex
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const numberOf = (character) => character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");


// Letters of scripts in which a joiner changes how they look, and the parts of an emoji.
const joinsNext = /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gujarati}\p{sc=Gurmukhi}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Khmer}]$/u;
const joinsLast = /^[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gujarati}\p{sc=Gurmukhi}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Khmer}]/u;

/** Whether a joiner is one that the letters or the emoji beside it need. */
function isNeeded(character, before, after) {
  if (character !== "\u200c" && character !== "\u200d") return false;
  return (joinsNext.test(before) && joinsLast.test(after))
    || (character === "\u200d" && /(\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after));
}

/**
 * Text of others with what could mislead made visible: characters that turn the direction of what follows, that are not
 * seen, or that control a terminal appear by their number.
 */
export function visibleText(text) {
  return String(text).replace(misleading, (character, at, whole) =>
    (isNeeded(character, whole.slice(Math.max(0, at - 2), at), whole.slice(at + 1, at + 3)) ? character : `⟨${numberOf(character)}⟩`));
}

/** JSON in which such characters are escaped, so that an editor shows them. Carriage returns stand between tokens only. */
export function visibleJSON(text) {
  return text.replaceAll("\r", "").replace(misleading, (character) => `\\u${numberOf(character)}`);
}

/** The beginning of a text that is too long to show. */
export function shortened(text, length) {
  return text.length > length ? text.slice(0, length - 1) + "…" : text;
}

/** A number of bytes for people. */
export function byteText(count) {
  if (count < 1000) return `${count} B`;
  let size = count;
  for (const unit of ["kB", "MB", "GB", "TB"]) {
    size /= 1000;
    if (size < 999.5) return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
  }
  return `${count} B`;
}

/** A number with thin spaces between thousands, as it is written when it is not whole. */
export function countText(count) {
  return Number.isInteger(count) ? String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009") : String(count);
}
