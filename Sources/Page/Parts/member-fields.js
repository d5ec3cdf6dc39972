import { h } from "../View/dom.js";
import { dialogField } from "../View/dialogs.js";

/**
 * Fields for members of a JSON object, each `[path, label, properties]`: of a number, of a text, or with `choices`. Gives
 * them, and `read()`, the object with what they say; what has no field stays as it was.
 */
export function memberFields(members, value = {}) {
  const fields = members.map(([path, label, { choices, ...properties }], index) => {
    const now = path.split(".").reduce((found, name) => found?.[name], value);
    if (!choices) return dialogField(label, { spellcheck: "false", value: now === undefined ? "" : String(now), autofocus: !index, ...properties });
    const input = h("select", choices.map(([name, text]) => h("option", { value: name, selected: now === name }, text)));
    const field = h("label.field", h("span", label), input);
    field.input = input;
    return field;
  });
  return {
    element: h("div.field-grid", fields),
    read() {
      const said = structuredClone(value);
      members.forEach(([path, , { type }], index) => {
        const text = fields[index].input.value.trim();
        setMember(said, path.split("."), text === "" ? undefined : type === "number" ? Number(text) : text);
      });
      return said;
    },
  };
}

/** Sets a member at a path, or removes it with the objects that it leaves empty. */
function setMember(object, [name, ...rest], value) {
  if (!rest.length) {
    if (value === undefined) delete object[name]; else object[name] = value;
    return;
  }
  const inner = object[name] ?? {};
  setMember(inner, rest, value);
  if (Object.keys(inner).length) object[name] = inner; else delete object[name];
}
