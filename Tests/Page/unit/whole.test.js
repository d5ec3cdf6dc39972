import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, relative } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../Sources/Page", import.meta.url));
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile()).map((file) => relative(root, join(file.path ?? file.parentPath, file.name)));
const read = (path) => readFileSync(join(root, path), "utf8");
const imports = (path) => [...read(path).matchAll(/^@?import .*"(.*)";$/gm)].map((found) => normalize(join(dirname(path), found[1])));

// What the server makes of a module (`PageBundle`): no imports, no lines of comments, no word `export`.
const bundled = (text) => {
  let isComment = false;
  return text.split("\n").filter((line) => {
    const begins = line.trimStart();
    if (!isComment && !begins.startsWith("/*")) return !/^(import |\/\/)/.test(begins);
    isComment = !line.endsWith("*/");
    return false;
  }).map((line) => line.replace(/^export /, "") + "\n").join("");
};

test("every file is reached, and the program carries it", () => {
  const seen = new Set(["index.html", "icon.svg", "package.json"]);
  const visit = (path) => { if (!seen.has(path)) { seen.add(path); imports(path).forEach(visit); } };
  ["main.js", "main.css"].forEach(visit);
  assert.deepEqual(files.filter((file) => !seen.has(file)), [], "imported by none");
  const carried = readFileSync(join(root, "../CEmbedded/page.c"), "utf8");
  for (const file of files) if (file !== "package.json") assert.ok(carried.includes(`PAGE_FILE("${file}"`), `page.c lacks ${file}`);
});

test("modules make one module: they share no name, and import without circles", () => {
  const seen = new Set();
  const open = new Set();
  let text = "";
  const add = (path) => {
    assert.ok(!open.has(path), `${path} imports itself in a circle`);
    if (seen.has(path)) return;
    seen.add(path);
    open.add(path);
    imports(path).forEach(add);
    open.delete(path);
    text += bundled(read(path));
  };
  add("main.js");
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  writeFileSync(join(folder, "main.mjs"), text);
  try { execFileSync(process.execPath, ["--check", join(folder, "main.mjs")], { stdio: "pipe" }); } catch (error) {
    assert.fail(String(error.stderr));
  } finally { rmSync(folder, { recursive: true }); }
});

test("an import is one line, by name", () => {
  for (const file of files.filter((each) => each.endsWith(".js"))) {
    for (const line of read(file).split("\n")) {
      if (/^\s*import\b/.test(line)) assert.match(line, /^import \{ [^}]+ \} from "\.{1,2}\/[^"]+\.js";$/, file);
      if (/^\s*export\b/.test(line)) assert.match(line, /^export (async )?(function|class|const) /, file);
    }
  }
});

test("no text goes over lines, and a comment that begins a line ends one", () => {
  for (const file of files.filter((each) => /\.(js|css)$/.test(each))) {
    for (const line of read(file).split("\n")) {
      assert.equal(line.split("`").length % 2, 1, `${file}: ${line}`);
      if (/^\s*\/\*/.test(line)) assert.match(line, /^[^*]*\*((?!\*\/).)*(\*\/)?$/, file);
    }
  }
});

test("nothing makes markup from text or leads elsewhere", () => {
  const never = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|localStorage|https?:\/\/(?!example\.com|id\.example\.com|www\.w3\.org)/;
  for (const file of files.filter((each) => /\.(js|css|html)$/.test(each))) {
    // How a person likes the page is kept, and nothing else.
    const text = file === "View/preferences.js" ? read(file).replaceAll("localStorage", "") : read(file);
    const found = never.exec(text.replaceAll('neither http:// nor https://', ""));
    assert.equal(found, null, `${file}: ${found?.[0]}`);
  }
});
