// SPDX-License-Identifier: Apache-2.0
// Pictures of a report for the eye: node tools/screenshots.mjs <report.html> <output folder>
// writes light.png, dark.png, narrow.png (whole page) and print.pdf.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launchBrowser, reportAddress } from "../test/browser.mjs";

const [report, folder] = process.argv.slice(2);
if (!report || !folder) throw new Error("give the report and the output folder: node tools/screenshots.mjs <report.html> <output folder>");
await mkdir(folder, { recursive: true });

const browser = await launchBrowser();
const looks = [
  { name: "light", colorScheme: "light", width: 1280 },
  { name: "dark", colorScheme: "dark", width: 1280 },
  { name: "narrow", colorScheme: "light", width: 900 },
];
for (const { name, colorScheme, width } of looks) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  await page.goto(reportAddress(report));
  await page.waitForSelector("#report.ready");
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  if (name === "dark") await page.pdf({ path: join(folder, "print.pdf"), preferCSSPageSize: true });
  await page.close();
}
await browser.close();
