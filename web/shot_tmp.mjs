import { launchBrowser, reportAddress } from "./test/browser.mjs";
const b = await launchBrowser();
for (let i = 2; i < process.argv.length; i += 2) {
  const p = await b.newPage({ viewport: { width: 1100, height: 1600 } });
  await p.goto(reportAddress(process.argv[i])); await p.waitForTimeout(2500);
  const h = await p.evaluate(() => document.documentElement.scrollHeight);
  for (let k = 0; k * 1600 < h; ++k) await p.screenshot({ path: `${process.argv[i + 1]}_${k}.png`, fullPage: true, clip: { x: 0, y: k * 1600, width: 1100, height: Math.min(1600, h - k * 1600) } });
  console.log(process.argv[i], h);
  await p.close();
}
await b.close();
