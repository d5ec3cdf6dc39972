// eslint-disable-next-line no-control-regex
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const numberOf = (character) => character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

/**
 * Text of others with what could mislead made visible: characters that turn the direction of what follows, that are not
 * seen, or that control a terminal appear by their number.
 */
export function visibleText(text) {
  return String(text).replace(misleading, (character) => `⟨${numberOf(character)}⟩`);
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
