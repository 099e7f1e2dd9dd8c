// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A real browser on the pages of a running service. What it needs beside
 * Chromium lies in MMCI_NODE_MODULES (package.json says what); the service's
 * address is in MMCI_URL, pictures go to MMCI_SHOTS.
 */
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.MMCI_NODE_MODULES, "x.js"));
const { chromium } = require("playwright-core");

export const url = process.env.MMCI_URL;
export const shots = process.env.MMCI_SHOTS;
export const axeSource = require("axe-core").source;
export const problems = [];

const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	      "--disable-background-networking", "--disable-component-update",
	      "--disable-sync"];

export function check(ok, what) {
	if (!ok)
		throw new Error(what);
}

export function equal(got, want, what) {
	check(JSON.stringify(got) === JSON.stringify(want),
	      `${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);
}

/* A page that notes what a user would not see: errors, and strangers asked. */
async function watched(context) {
	const page = await context.newPage();

	page.on("pageerror", (e) => problems.push(`${page.url()}: ${e.message}`));
	page.on("console", (m) => m.type() === "error" &&
		/* a page that says that there is none is no problem */
		!/status of 404/.test(m.text()) &&
		problems.push(`${page.url()}: ${m.text()}`));
	page.on("request", (r) => /^(https?|wss?):/.test(r.url()) &&
		!r.url().startsWith(url + "/") &&
		problems.push(`${page.url()} asks ${r.url()}`));
	page.setDefaultTimeout(30000);
	return page;
}

export async function open(options = {}) {
	const browser = await chromium.launch({
		executablePath: "/usr/bin/chromium", args: ARGS });
	const make = async (more) => watched(await browser.newContext({
		viewport: { width: 1280, height: 900 }, ...options, ...more }));

	return { browser, make };
}

/* Runs the cases in order and tells of each as TAP. */
export async function run(cases) {
	const { browser, make } = await open();
	let failed = 0;

	console.log(`1..${cases.length}`);
	for (const [i, one] of cases.entries()) {
		problems.length = 0;
		try {
			await one(make);
			equal(problems, [], "problems");
			console.log(`ok ${i + 1} - ${one.name}`);
		} catch (e) {
			failed++;
			console.log(`not ok ${i + 1} - ${one.name}`);
			for (const line of String(e.stack).split("\n").slice(0, 12))
				console.log(`# ${line}`);
		}
	}
	await browser.close();
	process.exitCode = failed ? 1 : 0;
}
