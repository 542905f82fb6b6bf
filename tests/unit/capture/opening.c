/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture is written only to a new file of its owner's, or to a character device. */
#include "library/library_fixture.h"
#include "capture_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define OLD_TEXT "what was there before"

static struct fixture fixture;
static char target[96];

static int open_ring(void **state)
{
	assert_int_equal(make_folder(state), 0);
	snprintf(target, sizeof(target), "%s/target", folder);
	fixture_open(&fixture, NULL, &fixture_patient);
	return 0;
}

static int close_ring(void **state)
{
	fixture_close(&fixture);
	unlink(target);
	return remove_folder(state);
}

static int try_to_open(bool rotate)
{
	const struct madring_capture_config config = { .max_bytes = 1 << 17, .rotate = rotate };

	return madring_capture_open(fixture.ring, path, &config);
}

/* Makes a file that anybody may read and write. */
static void put_file(const char *where)
{
	int fd = open(where, O_WRONLY | O_CREAT | O_EXCL, 0666);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(write(fd, OLD_TEXT, sizeof(OLD_TEXT)), sizeof(OLD_TEXT));
	assert_int_equal(close(fd), 0);
}

static void expect_untouched(int fd)
{
	char text[2 * sizeof(OLD_TEXT)];

	assert_int_equal(pread(fd, text, sizeof(text), 0), sizeof(OLD_TEXT));
	assert_string_equal(text, OLD_TEXT);
}

/* Checks that the file is a capture for its owner alone, and has something in it. */
static void expect_capture(const char *where)
{
	struct stat status;

	assert_int_equal(lstat(where, &status), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0600);
	assert_int_equal(status.st_nlink, 1);
	assert_true(status.st_size > 0);
}

/* The new file is not visible to anybody who has the old one open, or has another name for it. */
static void test_a_file_is_replaced(void **state)
{
	int fd;

	put_file(path);
	assert_int_equal(link(path, target), 0);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(try_to_open(false), 0);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	expect_capture(path);
	expect_untouched(fd);
	assert_int_equal(close(fd), 0);
	/* A file that an earlier capture has made is replaced, too. */
	assert_int_equal(try_to_open(false), 0);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	expect_capture(path);
}

static void test_a_file_that_must_not_be_written_stays(void **state)
{
	uid_t user = geteuid();
	int fd;

	put_file(path);
	assert_int_equal(chmod(path, 0444), 0);
	/* Root may write to any file, so the test becomes another user then. */
	if (!user) {
		assert_int_equal(chown(folder, 65534, (gid_t)-1), 0);
		assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	assert_int_equal(try_to_open(false), -EACCES);
	assert_int_equal(seteuid(user), 0);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	expect_untouched(fd);
	assert_int_equal(close(fd), 0);
}

static void test_a_link_is_not_followed(void **state)
{
	int fd;

	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(try_to_open(false), -ELOOP);
	assert_int_equal(access(target, F_OK), -1);
	put_file(target);
	assert_int_equal(try_to_open(false), -ELOOP);
	fd = open(target, O_RDONLY);
	assert_true(fd >= 0);
	expect_untouched(fd);
	assert_int_equal(close(fd), 0);
}

/* Rotation does not follow a link that stands where it keeps the previous file. */
static void test_a_link_is_not_followed_by_rotation(void **state)
{
	struct outcomes outcomes = { 0 };
	int fd;

	put_file(target);
	assert_int_equal(symlink(target, old_path), 0);
	assert_int_equal(try_to_open(true), 0);
	fixture_send(&fixture, 500, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	expect_capture(path);
	expect_capture(old_path);
	fd = open(target, O_RDONLY);
	assert_true(fd >= 0);
	expect_untouched(fd);
	assert_int_equal(close(fd), 0);
}

/* Opening a pipe would wait until somebody reads it. */
static void test_a_pipe_is_refused(void **state)
{
	int fd;

	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(try_to_open(false), -ESPIPE);
	assert_int_equal(close(fd), 0);
	assert_int_equal(try_to_open(false), -ESPIPE);
	assert_int_equal(access(path, F_OK), 0);
}

static void test_a_socket_is_refused(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(try_to_open(false), -ESPIPE);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(close(fd), 0);
}

/* A device is written to in its place. It cannot be rotated, because that would rename it. */
static void test_a_device(void **state)
{
	const struct madring_capture_config rotated = { .rotate = true };
	struct stat status;

	assert_int_equal(madring_capture_open(fixture.ring, "/dev/full", &rotated), -EINVAL);
	assert_int_equal(madring_capture_open(fixture.ring, "/dev/null", NULL), 0);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	assert_int_equal(lstat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

#define on_ring(test) cmocka_unit_test_setup_teardown(test, open_ring, close_ring)

static const struct CMUnitTest tests[] = {
	on_ring(test_a_file_is_replaced),
	on_ring(test_a_file_that_must_not_be_written_stays),
	on_ring(test_a_link_is_not_followed),
	on_ring(test_a_link_is_not_followed_by_rotation),
	on_ring(test_a_pipe_is_refused),
	on_ring(test_a_socket_is_refused),
	on_ring(test_a_device),
};

TEST_MAIN(tests, NULL, NULL)
