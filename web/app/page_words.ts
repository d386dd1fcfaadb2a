// SPDX-License-Identifier: Apache-2.0
// Messages of kdyn as a page says them: what is a flag on the command line is an option here.

import { optionWords } from "./field_words";
import { withOperations } from "./operation_words";

const option = (flag: string): string => `the option “${optionWords(flag)}”`;

export function pageWords(text: string): string {
  const words = text
    .replace(/, or say --units [\w=/*^,]+/g, ", or choose it at the column (Assign the columns)")
    .replace(/\boption ([a-z]+(?:_[a-z]+)+)\b/g, (_, name: string) => option(name).replace(/^the /, ""))
    .replace(/\bset ([a-z]+(?:_[a-z]+)+)=(\w+)/g, (_, name: string, value: string) => `set ${option(name)} to ${value}`)
    .replace(/--set ([\w.]+)=(\S+?)(?=[\s,;.)]|$)/g, (_, name: string, value: string) => `${option(name)} (${value})`)
    .replace(/(?:kdyn [a-z]+ )?--([a-z][a-z0-9-]+)(?:[= ](?:[A-Z]{2,}[\w.]*|[\w.]+=\S*))?/g, (_, flag: string) => option(flag))
    .replace(/the option (“[^”]+”(?:(?:,| and| or) the option “[^”]+”)+)/g, (_, list: string) => `the options ${list.replaceAll("the option ", "")}`);
  return withOperations(words);
}
