/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that programs write to: which are replaced, and which are written to. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/output.h"

static char folder[] = "/tmp/madring-output-XXXXXX";

static int enter_folder(void **state)
{
	umask(022);
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return chdir("/") || rmdir(folder);
}

/* Writes a text as the programs do. Returns what output_close() does; -1: it came to no text. */
static int write_text(const char *path, const char *text)
{
	struct output *output = output_open(path);
	FILE *out = output ? output_begin(output) : NULL;

	if (!output)
		return -1;
	if (out)
		fputs(text, out);
	return output_close(output) || !out ? -1 : 0;
}

static void make_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void assert_text(const char *path, const char *text)
{
	char found[256] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	found[fread(found, 1, sizeof(found) - 1, file)] = 0;
	fclose(file);
	assert_string_equal(found, text);
}

/* Asserts that nothing is beside the files that a test made. */
static void assert_files(const char *names)
{
	char found[256] = "";
	FILE *list = popen("ls -A | tr '\\n' ' '", "r"); /* NOLINT(cert-env33-c) */

	assert_non_null(list);
	found[fread(found, 1, sizeof(found) - 1, list)] = 0;
	pclose(list);
	assert_string_equal(found, names);
	assert_int_equal(system("rm -rf ./* ./.[!.]*"), 0); /* NOLINT(cert-env33-c) */
}

static struct stat status_of(const char *path)
{
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	return status;
}

static void regular_file_is_replaced_whole(void **state)
{
	struct stat before, after;
	char old[8] = "";
	int reader;

	make_file("f", "old\n", 0640);
	before = status_of("f");
	reader = open("f", O_RDONLY);
	assert_int_equal(write_text("f", "new\n"), 0);
	after = status_of("f");
	assert_text("f", "new\n");
	assert_int_equal(after.st_mode, S_IFREG | 0640);
	assert_true(after.st_ino != before.st_ino);
	/* Who has the old file open reads all of it. */
	assert_int_equal(read(reader, old, sizeof(old)), 4);
	assert_string_equal(old, "old\n");
	close(reader);
	assert_files("f ");
}

static void new_file_has_mode_of_umask(void **state)
{
	umask(027);
	assert_int_equal(write_text("f", "new\n"), 0);
	umask(022);
	assert_int_equal(status_of("f").st_mode, S_IFREG | 0640);
	assert_text("f", "new\n");
	assert_files("f ");
}

static void file_stays_without_text(void **state)
{
	struct output *output;

	make_file("f", "old\n", 0644);
	output = output_open("f");
	assert_non_null(output);
	assert_int_equal(output_close(output), 0);
	output = output_open("none");
	assert_non_null(output);
	assert_int_equal(output_close(output), 0);
	assert_text("f", "old\n");
	assert_files("f ");
}

static void link_stays_and_its_target_is_replaced(void **state)
{
	assert_int_equal(mkdir("d", 0755), 0);
	make_file("d/f", "old\n", 0600);
	assert_int_equal(symlink("g", "d/link"), 0);
	assert_int_equal(symlink("f", "d/g"), 0);
	assert_int_equal(symlink("d/link", "link"), 0);
	assert_int_equal(write_text("link", "new\n"), 0);
	assert_true(S_ISLNK(status_of("link").st_mode));
	assert_true(S_ISLNK(status_of("d/g").st_mode));
	assert_int_equal(status_of("d/f").st_mode, S_IFREG | 0600);
	assert_text("d/f", "new\n");
	assert_files("d link ");
}

static void target_of_dangling_link_is_made(void **state)
{
	assert_int_equal(symlink("none", "link"), 0);
	assert_int_equal(write_text("link", "new\n"), 0);
	assert_true(S_ISLNK(status_of("link").st_mode));
	assert_text("none", "new\n");
	assert_files("link none ");
}

static void links_without_end_are_refused(void **state)
{
	assert_int_equal(symlink("b", "a"), 0);
	assert_int_equal(symlink("a", "b"), 0);
	assert_int_equal(write_text("a", "new\n"), -1);
	assert_int_equal(symlink("none/none", "c"), 0);
	assert_int_equal(write_text("c", "new\n"), -1);
	assert_files("a b c ");
}

static void device_is_written_to(void **state)
{
	struct stat before, after;

	if (mknod("null", S_IFCHR | 0666, makedev(1, 3))) {
		print_message("no device can be made here: %s\n", strerror(errno));
		skip();
	}
	before = status_of("null");
	assert_int_equal(symlink("null", "link"), 0);
	/* Opening fails on a file system without devices; the device stays there, too. */
	write_text("null", "new\n");
	write_text("link", "new\n");
	after = status_of("null");
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_rdev, before.st_rdev);
	assert_files("link null ");
}

static void fifo_is_written_to(void **state)
{
	char text[8] = "";
	int reader;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(write_text("fifo", "new\n"), 0);
	assert_int_equal(read(reader, text, sizeof(text)), 4);
	assert_string_equal(text, "new\n");
	close(reader);
	assert_true(S_ISFIFO(status_of("fifo").st_mode));
	assert_files("fifo ");
}

/* Runs a child whose standard output is @fd and which writes to /dev/stdout. Returns its status. */
static int write_in_child(int fd)
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		dup2(fd, STDOUT_FILENO);
		_exit(write(fd, "first\n", 6) != 6 || write_text("/dev/stdout", "second\n"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void standard_output_is_written_to(void **state)
{
	char text[32] = "";
	int fd = open("f", O_WRONLY | O_CREAT, 0644), ends[2];

	assert_int_equal(write_in_child(fd), 0);
	close(fd);
	assert_text("f", "first\nsecond\n");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(write_in_child(ends[0]), 0);
	assert_int_equal(read(ends[1], text, sizeof(text) - 1), 13);
	assert_string_equal(text, "first\nsecond\n");
	close(ends[0]);
	close(ends[1]);
	assert_files("f ");
}

static void folders_are_refused(void **state)
{
	assert_int_equal(mkdir("d", 0755), 0);
	assert_null(output_open("d"));
	assert_null(output_open("d/"));
	assert_null(output_open("none/"));
	assert_null(output_open("none/f"));
	assert_null(output_open(""));
	assert_files("d ");
}

static void permission_is_needed(void **state)
{
	int status;
	pid_t child;

	make_file("f", "old\n", 0444);
	assert_int_equal(mkdir("d", 0555), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		/* Root may write everywhere. */
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(2);
		_exit(output_open("f") || output_open("d/f"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_text("f", "old\n");
	assert_files("d f ");
}

static void full_device_is_an_error(void **state)
{
	assert_int_equal(write_text("/dev/full", "new\n"), -1);
	assert_true(S_ISCHR(status_of("/dev/full").st_mode));
	assert_int_equal(write_text("/dev/null", "new\n"), 0);
	assert_true(S_ISCHR(status_of("/dev/null").st_mode));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(regular_file_is_replaced_whole),
	cmocka_unit_test(new_file_has_mode_of_umask),
	cmocka_unit_test(file_stays_without_text),
	cmocka_unit_test(link_stays_and_its_target_is_replaced),
	cmocka_unit_test(target_of_dangling_link_is_made),
	cmocka_unit_test(links_without_end_are_refused),
	cmocka_unit_test(device_is_written_to),
	cmocka_unit_test(fifo_is_written_to),
	cmocka_unit_test(standard_output_is_written_to),
	cmocka_unit_test(folders_are_refused),
	cmocka_unit_test(permission_is_needed),
	cmocka_unit_test(full_device_is_an_error),
};

TEST_MAIN(tests, enter_folder, remove_folder)
