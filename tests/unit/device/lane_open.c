/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens umad devices of any number, among all the numbers that the kernel gives. The calls that
 * name a file are led to a folder with the files of sysfs.
 */
#include "device/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ftw.h>

#include "cmocka_all.h"

#define LAST_UMAD 1023 /* RDMA_MAX_PORTS - 1 in the kernel */
#define UMAD_STEP 33

static char folder[] = "/tmp/madring-lane-open.XXXXXX";
static char opened[PATH_MAX];	 /* the device that was opened last */
static int open_errno;		 /* of the device; 0: it can be opened */
static int sysfs_errno;		 /* of the files of sysfs; 0: they can be read */
static int enable_errno;	 /* of IB_USER_MAD_ENABLE_PKEY; 0: it succeeds */
static unsigned int opens, dirs; /* of devices, and of folders of sysfs */

/*
 * NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names, and meson has offsets of
 * 64 bits
 */
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_open64(const char *path, int flags, ...)
{
	char full[PATH_MAX];

	if (!strncmp(path, "/dev/infiniband/", 16)) {
		opens++;
		snprintf(opened, sizeof(opened), "%s", path);
		assert_int_equal(flags & (O_ACCMODE | O_NONBLOCK), O_RDWR | O_NONBLOCK);
		errno = open_errno;
		return open_errno ? -1 : __real_open64("/dev/null", flags);
	}
	if (sysfs_errno) {
		errno = sysfs_errno;
		return -1;
	}
	assert_in_range(snprintf(full, sizeof(full), "%s%s", folder, path), 1, sizeof(full) - 1);
	return __real_open64(full, flags);
}

DIR *__wrap_opendir(const char *path)
{
	char full[PATH_MAX];

	dirs++;
	assert_in_range(snprintf(full, sizeof(full), "%s%s", folder, path), 1, sizeof(full) - 1);
	return __real_opendir(full);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	assert_true(fd >= 0);
	assert_int_equal(request, IB_USER_MAD_ENABLE_PKEY);
	errno = enable_errno;
	return enable_errno ? -1 : 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *file;

	assert_in_range(snprintf(full, sizeof(full), "%s%s", folder, path), 1, sizeof(full) - 1);
	for (char *slash = full + strlen(folder); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	assert_int_equal(fclose(file), 0);
}

static void add_umad(const char *entry, const char *ca_name, int portnum)
{
	char path[PATH_MAX], number[16];

	snprintf(path, sizeof(path), SYS_INFINIBAND_MAD "/%s/" SYS_IB_MAD_DEV, entry);
	put(path, ca_name);
	snprintf(path, sizeof(path), SYS_INFINIBAND_MAD "/%s/" SYS_IB_MAD_PORT, entry);
	snprintf(number, sizeof(number), "%d", portnum);
	put(path, number);
}

static void add_number(int umad, const char *ca_name, int portnum)
{
	char entry[32];

	snprintf(entry, sizeof(entry), "umad%d", umad);
	add_umad(entry, ca_name, portnum);
	snprintf(entry, sizeof(entry), "issm%d", umad);
	add_umad(entry, ca_name, portnum);
}

static int open_folder(void **state)
{
	memcpy(strrchr(folder, '.'), ".XXXXXX", sizeof(".XXXXXX"));
	assert_non_null(mkdtemp(folder));
	put(SYS_INFINIBAND_MAD "/abi_version", "5");
	opened[0] = '\0';
	open_errno = 0;
	sysfs_errno = 0;
	enable_errno = 0;
	opens = 0;
	dirs = 0;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	return remove(path);
}

static int remove_folder(void **state)
{
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct device_port port_of(const char *ca_name, int portnum)
{
	struct device_port port = { .portnum = portnum };

	snprintf(port.ca_name, sizeof(port.ca_name), "%s", ca_name);
	return port;
}

/* Requires that opening the port opens umad device @umad. */
static void expect_opened(const char *ca_name, int portnum, int umad)
{
	struct device_port port = port_of(ca_name, portnum);
	char expected[PATH_MAX], path[PATH_MAX];
	int fd = device_lane_open(&port);

	assert_true(fd >= 0);
	snprintf(expected, sizeof(expected), "/dev/infiniband/umad%d", umad);
	assert_string_equal(opened, expected);
	device_lane_close(fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(device_issm_path(&port, path, sizeof(path)), 0);
	snprintf(expected, sizeof(expected), "/dev/infiniband/issm%d", umad);
	assert_string_equal(path, expected);
}

/*
 * Names the device whose port is this umad device: each has two ports, and the last is the first.
 */
static int name_device(int umad, char name[UMAD_CA_NAME_LEN])
{
	int place = umad / UMAD_STEP;

	snprintf(name, UMAD_CA_NAME_LEN, "mlx5_%d", LAST_UMAD - place / 2);
	return place % 2 + 1;
}

static void test_numbers_that_the_kernel_gives(void **state)
{
	char name[UMAD_CA_NAME_LEN];
	unsigned int count = 0;

	for (int umad = 0; umad <= LAST_UMAD; umad += UMAD_STEP) {
		int portnum = name_device(umad, name);

		add_number(umad, name, portnum);
	}
	for (int umad = 0; umad <= LAST_UMAD; umad += UMAD_STEP) {
		int portnum = name_device(umad, name);

		expect_opened(name, portnum, umad);
		count++;
	}
	assert_int_equal(opens, count);
}

static void test_high_ports(void **state)
{
	add_number(70, "mlx5_0", 0);
	add_number(71, "mlx5_0", 10);
	add_number(72, "mlx5_0", 192);
	add_number(73, "mlx5_0", 1000);
	expect_opened("mlx5_0", 0, 70);
	expect_opened("mlx5_0", 10, 71);
	expect_opened("mlx5_0", 192, 72);
	expect_opened("mlx5_0", 1000, 73);
}

/*
 * If two devices claim a port, the one of the lower number is opened, in any order of the folder.
 */
static void test_the_lowest_number_counts(void **state)
{
	add_number(100, "mlx5_0", 1);
	add_number(99, "mlx5_0", 1);
	add_number(1000, "mlx5_0", 1);
	expect_opened("mlx5_0", 1, 99);
}

static void test_entries_that_are_no_umad_device(void **state)
{
	static const char *const entries[] = { "umad",	 "umadx1",	   "umad1x", "umad-1",
					       "umad+1", "umad 1",	   "numad1", "issm1",
					       "ucm1",	 "umad99999999999" };
	struct device_port port = port_of("mlx5_0", 1);

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		add_umad(entries[i], "mlx5_0", 1);
	assert_int_equal(device_lane_open(&port), -ENODEV);
	assert_int_equal(opens, 0);
	add_number(65, "mlx5_0", 1);
	expect_opened("mlx5_0", 1, 65);
}

static void test_missing_device_is_refused(void **state)
{
	struct device_port port = port_of("mlx5_0", 1);

	add_number(64, "mlx5_0", 2);
	add_number(65, "mlx5_01", 1);
	assert_int_equal(device_lane_open(&port), -ENODEV);
	assert_int_equal(opens, 0);
	assert_true(dirs > 0);
}

/* ib_umad has a version even where there is no device. */
static void test_the_driver_is_not_loaded(void **state)
{
	struct device_port port = port_of("mlx5_0", 1);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" SYS_INFINIBAND_MAD "/abi_version", folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(device_lane_open(&port), -EOPNOTSUPP);
	assert_int_equal(opens, 0);
}

static void test_what_cannot_be_opened(void **state)
{
	static const struct {
		int open_errno, expected;
	} cases[] = { { EMFILE, -EMFILE }, { ENFILE, -ENFILE }, { ENOMEM, -ENOMEM },
		      { EPERM, -EACCES },  { EACCES, -EACCES }, { ENODEV, -ENODEV },
		      { ENXIO, -ENODEV },  { ENOENT, -EIO },	{ EIO, -EIO },
		      { EISDIR, -EIO } };
	struct device_port port = port_of("mlx5_0", 1);

	add_number(64, "mlx5_0", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_errno = cases[i].open_errno;
		assert_int_equal(device_lane_open(&port), cases[i].expected);
	}
	open_errno = 0;
	enable_errno = EINVAL;
	assert_int_equal(device_lane_open(&port), -EOPNOTSUPP);
	enable_errno = 0;
	expect_opened("mlx5_0", 1, 64);
	/* That the files of sysfs cannot be read now does not mean that there is no device. */
	sysfs_errno = EMFILE;
	assert_int_equal(device_lane_open(&port), -EMFILE);
	sysfs_errno = ENOENT;
	assert_int_equal(device_lane_open(&port), -EOPNOTSUPP);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, open_folder, remove_folder)

static const struct CMUnitTest tests[] = {
	in_folder(test_numbers_that_the_kernel_gives),
	in_folder(test_high_ports),
	in_folder(test_the_lowest_number_counts),
	in_folder(test_entries_that_are_no_umad_device),
	in_folder(test_missing_device_is_refused),
	in_folder(test_the_driver_is_not_loaded),
	in_folder(test_what_cannot_be_opened),
};

TEST_MAIN(tests, NULL, NULL)
