// SPDX-License-Identifier: Apache-2.0
// Messages of kdyn as a page says them: what is a flag on the command line is an option here, and columns and units are chosen at the column.

import { plainName } from "../report/format";
import { optionWords, valueWords } from "./field_words";
import { withOperations } from "./operation_words";

// What may follow a flag as its value: quoted, NAME in capitals, assignments, numbers, or one of the words that options take.
const words = "none|free|entropic|ambient|transient|comma|point|slepc|true|false|ubf|bus|gbs|fmu2|fmu3|mimic|[ft][xyz]";
const one = String.raw`'[^']*'(?:=\w+)?|"[^"]*"|[A-Z][A-Z_]+(?:\.[a-z0-9]+)?(?:\.\.\.)?|[\w.+-]+=(?:"[^"]*"|[^\s;,)"]+)(?:,[\w.+-]+=(?:"[^"]*"|[^\s;,)"]+))*|-?\d[\d.e+,-]*\d|-?\d|(?:${words})(?![\w.])`;
const flagged = new RegExp(String.raw`--([a-z][a-z0-9-]+)((?:[= ](?:${one})|,? or (?=[ft][xyz]\b)(?:${one})|, (?=[ft][xyz]\b)(?:${one}))*)`, "g");

// Words for the quantities that columns hold.
const quantities: Record<string, string> = { k_dyn: "stiffness", loss_angle: "loss angle", storage_stiffness: "storage stiffness", loss_stiffness: "loss stiffness", ignore: "not used" };

// "k_dyn=N/mm,preload=N": stiffness N/mm, preload N; "preload==850 N" is a value for all rows.
function assigned(text: string): string {
  return text
    .split(/,(?=[\w.+-]+=)/)
    .map((part) => {
      const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(part) ?? [];
      const plain = value.replace(/^=/, "").replaceAll('"', "");
      const what = quantities[name] ?? name.replaceAll("_", " ");
      return plain === "..." || plain === "" ? what : `${what}: ${plain}`;
    })
    .join(", ");
}

// Placeholders say nothing on a page; quotes were for the shell.
function valueOf(text: string): string {
  const given = text.trim().replace(/^=/, "").replace(/(^|\s)(['"])(.*?)\2(?=\s|=|$)/g, "$1$3");
  if (given === "" || /^[A-Z][A-Z_.a-z0-9]*(\.\.\.)?$/.test(given)) return "";
  if (given.startsWith("{")) return "";
  if (/^[\w.+ -]+=/.test(given)) return assigned(given);
  return given.split(/\s+/).map(valueWords).join(" ");
}

const atColumns = new Set(["columns", "units", "layout"]);
const readByColumns = "“Assign the columns”";

// A flag with its value as the option with its value; `verb` is what stood before it: give, use, say, write.
function spoken(flag: string, value: string, verb: string): string {
  const said = valueOf(value);
  if (flag === "set") {
    const [, name = "", setting = ""] = /^\s*([\w.-]+)=(.*)$/.exec(value) ?? [];
    if (name === "") return "an option";
    return `${verb ? "set " : ""}the option “${optionWords(name.split(".")[0]!)}”${name.includes(".") ? ` of ${name.split(".").slice(1).join(".")}` : ""} to ${setting}`;
  }
  const name = atColumns.has(flag) && flag !== "layout" ? readByColumns : `the option “${optionWords(flag)}”`;
  if (name === readByColumns) return `${verb ? "use " : ""}${name}${said ? ` (${said})` : ""}`;
  if (said === "") return `${verb ? `${verb} ` : ""}${name}`;
  return verb ? `set ${name} to ${said}` : `${name} (${said})`;
}

// Names of options of all operations: a message may name one as files do.
let options = new Set<string>();
export function knowOptions(names: string[]): void {
  options = new Set(names.filter((name) => name.includes("_")));
}
const named = (text: string): string => text.replace(/(?<![\w./'"=<>-])[a-z]+(?:_[a-z0-9]+)+(?![\w/'"=(]|\.\w)/g, (name) => {
    if (!options.has(name)) return name;
    const [words, plain] = [optionWords(name), plainName(name)];
    // A parameter of a law that is an option, too, is called by its plain words.
    return words.toLowerCase() === plain ? plain : `“${words}”`;
  });

// Where something is wrong: an option of a form, or a file as it is called.
export function placeWords(where: string): string {
  const [, name = "", rest = ""] = /^([a-z]+(?:_[a-z0-9]+)*)((?:[.[].*)?)$/.exec(where) ?? [];
  return options.has(name) ? `${optionWords(name)}${rest.replace(/^\./, ", ")}` : where;
}

const verbs = String.raw`(?:(give|use|say|write)(?: for example| it)?:? )?`;

export function pageWords(text: string): string {
  const first = text
    // A whole command as a remedy is the page that does it.
    .replace(/\bkdyn ([a-z]+(?: [a-z]+)?)((?: (?:[A-Z][A-Za-z_]*(?:\.[a-z0-9]+)?(?:\.\.\.)?|[a-z_]+\.(?:h5|csv)|\.\.\.))+)/g, "kdyn $1")
    .replace(/ --out DIR\b/g, "")
    .replace(/;? ?(?:--no-report does without)/g, "")
    .replace(/\(--job-hours of kdyn serve\)/g, "(of the server)")
    .replace(/\boption ([a-z]+(?:_[a-z]+)+)\b/g, (_, name: string) => `option “${optionWords(name)}”`)
    .replace(/(?<!--)\bset ([a-z]+(?:_[a-z]+)+)=(\w+)/g, (_, name: string, value: string) => `set the option “${optionWords(name)}” to ${value}`)
    .replace(/\bkdyn [a-z]+ (?=--[a-z])/g, "")
    .replace(new RegExp(verbs + flagged.source, "g"), (_, verb: string | undefined, flag: string, value: string) => spoken(flag, value, verb ?? ""))
    .replace(/(“Assign the columns”(?: \([^)]*\))?) (?:or )?“Assign the columns” \(/g, "$1 (")
    .replace(/ \(Assign the columns\)/g, "")
    .replace(/the option (“[^”]+”(?:(?:,| and| or) the option “[^”]+”)+)/g, (_, list: string) => `the options ${list.replaceAll("the option ", "")}`);
  return named(withOperations(first))
    .replace(/\((the option “[^”]+”) \(([^)]*)\)\)/g, "($1: $2)")
    .replace(/(the option (“[^”]+”) (?:to |\()([^)\s]+(?: [\d.]+)?)\)?) or the option \2 \(([^)]+)\)/g, "$1 or $4")
    .replace(/^the option “[^”]+”(?: \([^)]*\))?(?: (?:says|takes|leaves|fits|reads|writes|tells|does)\b)?/, (start) => (/ [a-z]+s$/.test(start) ? start : `use ${start}`))
    .replace(/^(“Assign)/, "use $1");
}
