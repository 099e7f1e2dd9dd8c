// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every page, in light and dark, on a desktop and a phone: a picture of it,
 * nothing wider than the screen, and no rule of accessibility seriously broken.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { axeSource, check, equal, run, shots, url } from "./browser.mjs";

const LOOKS = [["light", "desktop", 1280, 900], ["dark", "desktop", 1280, 900],
	       ["light", "phone", 360, 740], ["dark", "phone", 360, 740]];
const RULES = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
			  "best-practice"] };
const FIXED = ["/", "/?text=mprotect", "/?text=nothing-like-it", "/ledger",
	       "/findings?blame=any", "/benchmarks", "/flaky", "/trees", "/queue",
	       "/outbox", "/about", "/manual", "/login", "/series/999999"];

async function ids(what) {
	const answer = await fetch(`${url}/api/v1/${what}?limit=200`);

	check(answer.ok, `${what}: ${answer.status}`);
	return (await answer.json()).items;
}

/* One of each kind that there is. */
async function pages() {
	const jobs = {}, list = [...FIXED];

	for (const s of (await ids("series")).slice(0, 6))
		list.push(`/series/${s.id}`);
	for (const j of await ids("jobs"))
		jobs[j.kind + j.state] ||= `/job/${j.id}`;
	list.push(...Object.values(jobs));
	list.push(...(await ids("outbox")).slice(0, 2).map(
		(r) => `/outbox/${r.id}`));
	return list;
}

function fileOf(path, scheme, screen) {
	const name = path.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "");

	return join(shots, `${name || "front"}-${screen}-${scheme}.png`);
}

async function isGood(page, scheme, screen) {
	const faults = [];
	const wide = await page.evaluate(() =>
		document.documentElement.scrollWidth - innerWidth);

	if (wide > 0)
		faults.push(`${wide} pixels too wide`);
	/* colours were looked at on the desktop, where all of a page shows */
	if (screen === "phone" && scheme === "dark")
		return faults;
	await page.evaluate(axeSource);
	const { violations } = await page.evaluate((rules) => axe.run(rules),
						   RULES);

	for (const v of violations)
		if (["serious", "critical"].includes(v.impact))
			faults.push(`${v.id}: ${v.nodes[0].target} ` +
				    `${v.nodes[0].failureSummary}`);
	return faults;
}

async function every_page_looks_right(make) {
	const list = await pages(), faults = [];

	mkdirSync(shots, { recursive: true });
	for (const [colorScheme, screen, width, height] of LOOKS) {
		const page = await make({ colorScheme, bypassCSP: true,
					  viewport: { width, height } });

		for (const path of list) {
			const answer = await page.goto(url + path);

			check(answer.status() === (path.includes("999999") ?
						   404 : 200),
			      `${path}: ${answer.status()}`);
			await page.screenshot({ path: fileOf(path, colorScheme,
							     screen) });
			for (const f of await isGood(page, colorScheme, screen))
				faults.push(`${path} ${screen} ` +
					    `${colorScheme}: ${f}`);
		}
		await page.context().close();
	}
	console.log(`# ${list.length} pages, ${LOOKS.length} looks, in ${shots}`);
	faults.forEach((f) => console.log("# " + f.replace(/\s+/g, " ")));
	equal(faults.length, 0, "faults");
}

async function nothing_needs_javascript(make) {
	const page = await make({ javaScriptEnabled: false });

	await page.goto(url + "/");
	await page.locator("[data-row] a").first().click();
	check(await page.locator("h1").first().isVisible(), "a series");
	check(!await page.locator(".copy").first().isVisible().catch(() => false),
	      "a button that does nothing is not shown");
}

await run([every_page_looks_right, nothing_needs_javascript]);
