/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_HANDLERS_H
#define MMCI_WEB_HANDLERS_H

#include "db/id.h"
#include "db/view-series.h"
#include "web/request.h"

/* Handlers of the table in route.c, by file. */

/* api.c: read */
void api_series_list(struct request *rq, struct response *rs);
void api_series(struct request *rq, struct response *rs);
void api_jobs(struct request *rq, struct response *rs);
void api_job(struct request *rq, struct response *rs);
void api_findings(struct request *rq, struct response *rs);
void api_outbox(struct request *rq, struct response *rs);
void api_outgoing(struct request *rq, struct response *rs);
void api_queue(struct request *rq, struct response *rs);
void api_trees(struct request *rq, struct response *rs);
void api_sources(struct request *rq, struct response *rs);
void api_health(struct request *rq, struct response *rs);

/* api-post.c: ask the daemon to do something */
void api_submit(struct request *rq, struct response *rs);
void api_series_rerun(struct request *rq, struct response *rs);
void api_series_cancel(struct request *rq, struct response *rs);
void api_job_rerun(struct request *rq, struct response *rs);
void api_job_cancel(struct request *rq, struct response *rs);
void api_tree_add(struct request *rq, struct response *rs);
void api_tree_fetch(struct request *rq, struct response *rs);
void api_token_add(struct request *rq, struct response *rs);

/* api-admin.c: tokens and webhooks */
void api_tokens(struct request *rq, struct response *rs);
void api_token_revoke(struct request *rq, struct response *rs);
void api_webhooks(struct request *rq, struct response *rs);
void api_webhook_add(struct request *rq, struct response *rs);
void api_webhook_remove(struct request *rq, struct response *rs);

/* api-events.c: what happens, also as it happens */
void api_events(struct request *rq, struct response *rs);
void api_job_live(struct request *rq, struct response *rs);
void api_mails(struct request *rq, struct response *rs);
void api_runners(struct request *rq, struct response *rs);

/* service.c: for whoever looks after the service */
void page_healthz(struct request *rq, struct response *rs);
void page_readyz(struct request *rq, struct response *rs);
void page_metrics(struct request *rq, struct response *rs);

/* feed.c: for other programs' pages */
void page_feed(struct request *rq, struct response *rs);
void page_badge(struct request *rq, struct response *rs);

/* route.c */
void api_index(struct request *rq, struct response *rs);

/* session.c: browsers that log in */
void page_login(struct request *rq, struct response *rs);
void page_login_post(struct request *rq, struct response *rs);
void page_logout(struct request *rq, struct response *rs);

/* page-post.c: forms of pages */
void page_series_rerun(struct request *rq, struct response *rs);
void page_series_cancel(struct request *rq, struct response *rs);
void page_job_rerun(struct request *rq, struct response *rs);
void page_job_cancel(struct request *rq, struct response *rs);
void page_outbox_approve(struct request *rq, struct response *rs);
void page_outbox_reject(struct request *rq, struct response *rs);

/* api-outbox.c: moderation */
void api_outbox_approve(struct request *rq, struct response *rs);
void api_outbox_reject(struct request *rq, struct response *rs);

/**
 * repro_of_job() - the script that repeats a job
 *
 * Return: 0; DB_NONE for no such job; -ENOENT where what it ran with is gone;
 * -errno.
 */
int repro_of_job(const struct request *rq, struct job_id id,
		 struct strbuf *out);

/* api-repro.c */
void api_job_repro(struct request *rq, struct response *rs);
void api_mail_raw(struct request *rq, struct response *rs);

/* log.c */
void api_job_log(struct request *rq, struct response *rs);

/* history.c: what was seen over many series */
void api_ledger(struct request *rq, struct response *rs);
void api_flaky(struct request *rq, struct response *rs);
void api_benchmarks(struct request *rq, struct response *rs);
void api_tally(struct request *rq, struct response *rs);
void page_ledger(struct request *rq, struct response *rs);
void page_flaky(struct request *rq, struct response *rs);
void page_benchmarks(struct request *rq, struct response *rs);
void page_about(struct request *rq, struct response *rs);
void page_manual(struct request *rq, struct response *rs);

/* page-mbox.c */
void page_mbox(struct request *rq, struct response *rs);

/* pages.c */
void page_front(struct request *rq, struct response *rs);
void page_series(struct request *rq, struct response *rs);
void page_job(struct request *rq, struct response *rs);
void page_findings(struct request *rq, struct response *rs);
void page_outbox(struct request *rq, struct response *rs);
void page_outgoing(struct request *rq, struct response *rs);
void page_trees(struct request *rq, struct response *rs);
void page_queue(struct request *rq, struct response *rs);
void page_static(struct request *rq, struct response *rs);

/**
 * args_page() - limit and cursor of a list
 *
 * Return: true, or false and the answer in @rs.
 */
bool args_page(const struct request *rq, struct response *rs,
	       struct view_page *page);
/** args_object() - the body as an object, or NULL and the answer in @rs */
json_t *args_object(struct request *rq, struct response *rs);
/**
 * args_loaded() - turn the result of a view into an answer where it is none
 * @none: what to say for DB_NONE
 *
 * Return: true where @r is 0, or false and the answer in @rs.
 */
bool args_loaded(const struct request *rq, struct response *rs, int r,
		 const char *none);
/** args_id() - a path segment as an id above 0; 0 when it is none */
int64_t args_id(const char *s);
/**
 * args_series() - the version that @name, a number or Message-ID, means
 *
 * Return: as args_page().
 */
bool args_series(const struct request *rq, struct response *rs,
		 const char *name, struct version_id *ret);

/*
 * One JSON value per view: read by both the API and the page. Each gives true
 * and a new reference, or false and the answer in @rs.
 */
bool load_series_list(const struct request *rq, struct response *rs,
		      json_t **ret);
bool load_series(const struct request *rq, struct response *rs, json_t **ret);
bool load_job(const struct request *rq, struct response *rs, json_t **ret);
bool load_findings(const struct request *rq, struct response *rs, json_t **ret);
bool load_outbox(const struct request *rq, struct response *rs, json_t **ret);
bool load_outgoing(const struct request *rq, struct response *rs, json_t **ret);
bool load_queue(const struct request *rq, struct response *rs, json_t **ret);
bool load_trees(const struct request *rq, struct response *rs, json_t **ret);

#endif
