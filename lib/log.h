/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_LOG_H
#define MMCI_LIB_LOG_H

/*
 * Log lines on stderr, each with the <N> prefix of sd-daemon(3) when the
 * journal reads them. A file defines pr_fmt() first, as in the kernel.
 */

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif

enum log_level {
	LOG_LEVEL_ERR = 3,
	LOG_LEVEL_WARN = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

/** log_set_level() - drop lines less urgent than @level (default INFO) */
void log_set_level(enum log_level level);
/** log_line() - use pr_err() and friends instead */
__attribute__((format(printf, 2, 3)))
void log_line(enum log_level level, const char *fmt, ...);

#define pr_err(fmt, ...) log_line(LOG_LEVEL_ERR, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...) log_line(LOG_LEVEL_WARN, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...) log_line(LOG_LEVEL_INFO, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...) log_line(LOG_LEVEL_DEBUG, pr_fmt(fmt), ##__VA_ARGS__)

#endif
