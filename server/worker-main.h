/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_SERVER_WORKER_MAIN_H
#define MMCI_SERVER_WORKER_MAIN_H

/**
 * worker_main() - be the worker @name: a request on stdin, answers on stdout
 *
 * Return: the exit status; 2 for a name or request that makes no sense.
 * Source: docs/design.md, section 10.3.
 */
int worker_main(const char *name);

#endif
