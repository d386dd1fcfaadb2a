// SPDX-License-Identifier: Apache-2.0
// What the server says about itself, and files of the project.

import { get, upload } from "./api";
import type { DisplayUnit } from "./settings";

export interface FieldInfo {
  name: string;
  kind: string;
  unit: string;
  meaning: string;
  default: unknown;
  group?: string;
  choices?: string[];
  required?: boolean;
  positional?: boolean;
  path?: "input" | "output" | "folder" | "job";
  minimum?: number;
  maximum?: number;
  above?: number;
  display_unit?: string; // where kdyn shows it in another unit than its own
  fields?: FieldInfo[]; // of a field with fields of its own
}

export interface OperationInfo {
  operation: string;
  summary: string;
  example: string;
  fields: FieldInfo[];
}

export interface AppInfo {
  version: string;
  project: { folder: string; name: string };
  operations: OperationInfo[];
  display_units: DisplayUnit[];
  confinement: string;
  upload_mb: number;
  book: boolean; // whether the server has the book
  elsewhere?: string[]; // operations that only the full kdyn has
}

export interface ProjectFile {
  path: string;
  bytes: number;
  changed: number;
}

let known: Promise<AppInfo> | undefined;
export function appInfo(): Promise<AppInfo> {
  return (known ??= get<AppInfo>("api/app"));
}

export async function operationInfo(name: string): Promise<OperationInfo | undefined> {
  return (await appInfo()).operations.find((one) => one.operation === name);
}

export function projectFiles(folder = "data"): Promise<ProjectFile[]> {
  return get<ProjectFile[]>(`api/files?folder=${encodeURIComponent(folder)}`);
}

// Uploads one after the other, so that progress can be told; refuses what is too large before it is sent.
export async function uploadAll(files: File[], tellProgress: (words: string) => void): Promise<string[]> {
  const { upload_mb } = await appInfo();
  const large = files.find((file) => file.size > upload_mb * 1024 * 1024);
  if (large) throw new Error(`${large.name} has ${(large.size / 1048576).toFixed(0)} MB, the limit is ${upload_mb} MB: start kdyn serve with --max-upload-mb`);
  const paths: string[] = [];
  for (const [i, file] of files.entries()) {
    tellProgress(`Copying ${file.name} (${i + 1} of ${files.length})`);
    paths.push(await upload(file));
  }
  return paths;
}

// What a page says whose operations are not in it.
export const fullKdyn =
  "These operations need the full kdyn, which has finite elements, multibody models and studies. Save the project, unpack it there and run kdyn serve --project on it.";
