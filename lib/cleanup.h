/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_LIB_CLEANUP_H
#define MMCI_LIB_CLEANUP_H

/*
 * Same words and same rule as the kernel's cleanup.h: a function uses
 * __free() or goto, not both.
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <dirent.h>

/**
 * DEFINE_FREE() - name an expression that releases what a variable holds
 * @name: the word used in __free(@name)
 * @type: type of the variable
 * @expr: expression over _T, the variable's value; must accept NULL or -1
 */
#define DEFINE_FREE(name, type, expr)                         \
	static inline void __free_##name(void *p)             \
	{                                                     \
		type _T = *(type *)p;                         \
		expr;                                         \
	}

/** __free() - release the variable by the named expression at scope end */
#define __free(name) __attribute__((__cleanup__(__free_##name), __unused__))

/** no_free_ptr() - hand ownership on: yields @p and leaves NULL behind */
#define no_free_ptr(p)                      \
	({                                  \
		__auto_type _val = (p);     \
		(p) = NULL;                 \
		_val;                       \
	})

/** no_free_fd() - hand ownership on: yields @fd and leaves -1 behind */
#define no_free_fd(fd)                      \
	({                                  \
		int _val = (fd);            \
		(fd) = -1;                  \
		_val;                       \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define min(a, b)                        \
	({                               \
		__auto_type _a = (a);    \
		__auto_type _b = (b);    \
		_a < _b ? _a : _b;       \
	})
#define max(a, b)                        \
	({                               \
		__auto_type _a = (a);    \
		__auto_type _b = (b);    \
		_a > _b ? _a : _b;       \
	})

DEFINE_FREE(kfree, void *, free(_T))
DEFINE_FREE(fd, int, if (_T >= 0) close(_T))
DEFINE_FREE(file, FILE *, if (_T) fclose(_T))
DEFINE_FREE(dir, DIR *, if (_T) closedir(_T))

#endif
