// Checks that the script that the program serves is the modules in Sources/Page but for the names of variables:
// `node --expose-internals Tests/Page/same-script.js SCRIPT`. Texts and the structure are the same, each variable has one
// name of its own, and each member has one name; it prints those that have another. It uses the parser inside of node.
const { readFileSync } = require("node:fs");
const { dirname, join, normalize } = require("node:path");
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");

const root = join(__dirname, "../../Sources/Page");
const seen = new Set();
let modules = "";
const add = (path) => {
  if (seen.has(path)) return;
  seen.add(path);
  const text = readFileSync(join(root, path), "utf8");
  for (const [, next] of text.matchAll(/^import .*"(.*)";$/gm)) add(normalize(join(dirname(path), next)));
  modules += text.replace(/^import .*$/gm, "").replace(/^export /gm, "");
};
add("main.js");

const tree = (text) => parse(text, { ecmaVersion: "latest", sourceType: "module" });
const served = new Map();
const plain = new Map();
const declared = new Set();
const members = new Map();
const fail = (left, text) => { throw new Error(`${text}: ${modules.slice(left.start, left.start + 200)}`); };

// Names that are declared: of functions and classes, and in patterns.
const declare = (node) => {
  switch (node?.type) {
    case "Identifier": declared.add(node.name); break;
    case "ObjectPattern": node.properties.forEach((each) => declare(each.value ?? each.argument)); break;
    case "ArrayPattern": node.elements.forEach(declare); break;
    case "AssignmentPattern": declare(node.left); break;
    case "RestElement": declare(node.argument); break;
  }
};

// What declares several variables is one statement or many, with const or let. A function that only returns something
// is a variable, too.
const statements = (nodes) => nodes.flatMap((node) => {
  const { type, start } = node ?? {};
  if (type === "VariableDeclaration") return node.declarations.map((each) => ({ type, start: each.start, declarations: each }));
  const [first, ...others] = type === "FunctionDeclaration" ? node.body.body : [];
  if (first?.type !== "ReturnStatement" || !first.argument || others.length) return [node];
  const { id, params, async } = node;
  const init = { type: "ArrowFunctionExpression", start, id: null, expression: true, generator: false, async, params, body: first.argument };
  return [{ type: "VariableDeclaration", start, declarations: { type: "VariableDeclarator", start, id, init } }];
});

// `!0` is true, and `void 0` is undefined.
const constant = (node) => {
  if (node?.type !== "UnaryExpression" || node.argument.type !== "Literal") return node;
  if (node.operator === "!") return { type: "Literal", value: !node.argument.value };
  return node.operator === "void" ? { type: "Identifier", name: "undefined" } : node;
};

const compare = (left, right, isMember = false) => {
  if (left === null || typeof left !== "object" || left instanceof RegExp) {
    if (String(left) !== String(right)) throw new Error(`${left} is ${right}`);
    return;
  }
  if (Array.isArray(left)) {
    [left, right] = [statements(left), statements(right)];
    if (left.length !== right.length) throw new Error("another number of parts");
    left.forEach((each, index) => compare(each, right[index]));
    return;
  }
  if (left.type !== right?.type) right = constant(right);
  if (left.type !== right?.type) fail(left, `${left.type} is ${right?.type}`);
  if (left.type === "Identifier" && isMember) {
    if ((members.get(left.name) ?? right.name) !== right.name) fail(left, `the member ${left.name} has two names`);
    if (left.name !== right.name && right.name[0] !== "$") fail(left, `the member ${left.name} is ${right.name}`);
    members.set(left.name, right.name);
    return;
  }
  if (left.type === "Identifier") {
    if ((served.get(left.name) ?? right.name) !== right.name) fail(left, `${left.name} has two names`);
    if ((plain.get(right.name) ?? left.name) !== left.name) fail(left, `${right.name} is two variables`);
    served.set(left.name, right.name);
    plain.set(right.name, left.name);
    return;
  }
  if (/^(Function|Arrow)/.test(left.type)) left.params.forEach(declare);
  if (/^(Function|Class)/.test(left.type)) declare(left.id);
  if (left.type === "VariableDeclarator") declare(left.id);
  if (left.type === "CatchClause") declare(left.param);
  for (const name of Object.keys(left)) {
    if (["start", "end", "type", "shorthand", "raw"].includes(name) || left[name] === "const") continue;
    const isFixed = (name === "property" || name === "key") && !left.computed;
    try { compare(left[name], right[name], isFixed); } catch (error) {
      if (/^.{0,60}: /.test(error.message)) throw error;
      fail(left, error.message);
    }
  }
};

compare(tree(modules), tree(readFileSync(process.argv[2], "utf8")));
for (const [name, short] of served) {
  if (!declared.has(name) && short !== name) throw new Error(`${name} belongs to browsers, and is ${short}: see fixedNames`);
}
const renamed = [...members].filter(([name, short]) => name !== short);
if (new Set(renamed.map(([, short]) => short)).size !== renamed.length) throw new Error("two members have one name");
process.stdout.write(renamed.map(([name]) => name).join(" "));
