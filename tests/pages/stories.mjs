// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What three people come for, on a service that judged real series:
 * MMCI_BROKEN is the Message-ID of one whose second patch breaks x86_64,
 * MMCI_CLEAN of the second version of a clean one, MMCI_TOKEN may moderate
 * and rerun.
 */
import { check, equal, run, url } from "./browser.mjs";

const { MMCI_BROKEN, MMCI_CLEAN, MMCI_TOKEN } = process.env;
const seriesPath = (key) =>
	"/series/" + encodeURIComponent(key).replaceAll("%40", "@");

async function text(page, selector) {
	return page.locator(selector).first().innerText();
}

async function the_author_finds_the_error_in_two_clicks(make) {
	const page = await make({ permissions: ["clipboard-read",
						"clipboard-write"] });

	await page.goto(url + "/");
	const row = page.locator(
		`tr:has(a[href="${seriesPath(MMCI_BROKEN)}"])`);

	check((await row.innerText()).includes("2/2"),
	      "the row says which patch is to blame");
	/* the first click */
	await row.locator(".what > a").click();
	const finding = page.locator("#findings .finding", {
		hasText: "implicit declaration" }).first();

	check(/pgtable\.h:\d+/.test(await finding.innerText()), "file and line");
	check((await finding.locator(".quote").innerText())
		.includes("ptep_modify_prot_start"), "the quoted line");
	/* what is copied can be typed */
	await finding.locator("summary").click();
	await finding.locator("button.copy").click();
	const copied = await page.evaluate(() => navigator.clipboard.readText());

	check(copied.includes("b4 shazam " + MMCI_BROKEN), copied);
	check(/make ARCH=x86_64 .*W=1/.test(copied), copied);
	/* the second click: the log at the error */
	await finding.locator("a[href^='/job/']").first().click();
	check((await text(page, ".log .l-error")).includes("error:"),
	      "the log opens at its first error");
	check(await page.locator(".log .l-error").first().isVisible(), "visible");
}

async function the_maintainer_reads_a_range_diff(make) {
	const page = await make();

	await page.goto(url + "/");
	await page.locator(".tabs a", { hasText: /^ok$/ }).click();
	const tree = page.locator("select[name=tree]");
	const names = await tree.locator("option").allInnerTexts();

	await Promise.all([page.waitForURL(/tree=/),
			   tree.selectOption(names[1])]);
	check(page.url().includes("state=clean"), page.url());
	const rows = await page.locator("[data-row]").allInnerTexts();

	check(rows.length, "a clean series");
	check(rows.every((r) => /\bok\b/.test(r)), rows.join("\n"));
	await page.locator(`a[href="${seriesPath(MMCI_CLEAN)}"]`).click();
	await page.locator("a[href='#range-diff']").first().click();
	const diff = await text(page, "h2#range-diff + * .diff, " +
				"h2#range-diff ~ .wide .diff");

	check(/^[ +-]*[+-]/m.test(diff), diff);
	check(await page.locator("h2#range-diff").isVisible(), "visible");
}

async function keys_reach_what_the_mouse_does(make) {
	const page = await make();

	await page.goto(url + "/");
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	await page.keyboard.press("k");
	equal(await page.locator("[data-row].cur").count(), 1, "rows chosen");
	await page.keyboard.press("Enter");
	await page.locator(".more #findings, .more section, .more").first()
		.waitFor();
	await page.keyboard.press("?");
	await page.locator("#help").waitFor();
	await page.keyboard.press("Escape");
	await page.keyboard.press("/");
	await page.keyboard.type("target node");
	await Promise.all([page.waitForURL(/text=target/),
			   page.keyboard.press("Enter")]);
	check((await text(page, ".list")).includes("target node"), "found");
	await page.keyboard.press("j");
	await Promise.all([page.waitForURL(/\/series\//),
			   page.keyboard.press("o")]);
}

async function logIn(page) {
	await page.goto(url + "/");
	await page.locator("footer a", { hasText: "log in" }).click();
	await page.locator("input[name=token]").fill(MMCI_TOKEN);
	await Promise.all([page.waitForNavigation(),
			   page.locator("main button",
					{ hasText: "log in" }).click()]);
	check((await text(page, "footer")).includes("Logged in as"), "logged in");
	const [cookie] = await page.context().cookies();

	equal([cookie.httpOnly, cookie.sameSite], [true, "Strict"], "the cookie");
}

async function the_operator_approves_a_held_reply(make) {
	const page = await make();

	await logIn(page);
	await page.locator("nav a", { hasText: "Outbox" }).click();
	await page.locator("tr", { hasText: "held" }).first()
		.locator("a[href^='/outbox/']").click();
	check((await text(page, "pre.mail")).includes("error:"), "the mail");
	await Promise.all([page.waitForNavigation(),
			   page.locator("button", { hasText: "approve" })
				.click()]);
	const state = await text(page, ".say");

	check(/approved|sen[dt]/.test(state), state);
}

async function the_operator_sees_a_rerun_live(make) {
	const page = await make();

	await logIn(page);
	await page.goto(url + seriesPath(MMCI_BROKEN));
	await page.locator("details:has(summary:text('Jobs')) > summary").click();
	const jobs = page.locator("details:has(summary:text('Jobs')) tr");

	await Promise.all([page.waitForURL(/\/job\//),
			   jobs.filter({ hasText: "build" }).first()
				.locator("a[href^='/job/']").first().click()]);
	const job = page.url();
	const before = await page.locator("table tr:has(a[href*='attempt='])")
		.count();

	await Promise.all([page.waitForNavigation(),
			   page.locator(".acts button", { hasText: "rerun" })
				.click()]);
	equal(page.url().split("?")[0], job.split("?")[0], "back at the job");
	/* the page is not loaded again by hand: news come by themselves */
	await page.locator(".log[data-live]").waitFor({ timeout: 120000 });
	const lines = page.locator(".log > span");
	const first = await lines.count();

	await page.waitForFunction((n) => document.querySelectorAll(
		".log > span").length > n, first, { timeout: 120000 });
	/* its end comes by itself, too */
	await page.locator(".log[data-live]").waitFor({ state: "detached",
							timeout: 600000 });
	check(/failed/.test(await text(page, ".say")), "how it ended");
	equal(await page.locator("table tr:has(a[href*='attempt='])").count(),
	      before + 1, "attempts");
}

await run([
	the_author_finds_the_error_in_two_clicks,
	the_maintainer_reads_a_range_diff,
	keys_reach_what_the_mouse_does,
	the_operator_approves_a_held_reply,
	the_operator_sees_a_rerun_live,
]);
