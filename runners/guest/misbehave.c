// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest that goes wrong on purpose, for the tests of the runner: as a step of
 * a plan, or as /init itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

static void sysrq(char c)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY);

	if (fd < 0 || write(fd, &c, 1) != 1)
		perror("/proc/sysrq-trigger");
	if (fd >= 0)
		close(fd);
}

static void flood(void)
{
	static char line[4096];
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY);

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	while (write(fd, line, sizeof(line)) > 0)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : getenv("misbehave");

	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	if (!what)
		return 2;
	printf("misbehaving: %s\n", what);
	fflush(stdout);
	if (!strcmp(what, "panic"))
		sysrq('c');
	else if (!strcmp(what, "hang"))
		for (;;)
			pause();
	else if (!strcmp(what, "flood"))
		flood();
	else if (!strcmp(what, "poweroff"))
		reboot(RB_POWER_OFF);
	else if (!strcmp(what, "reset"))
		reboot(RB_AUTOBOOT);
	else if (!strcmp(what, "segv"))
		abort();
	return 3;
}
