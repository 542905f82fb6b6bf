/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test may tell the simulated driver, and ask it, beside src/driver/driver.h. */
#ifndef MODEL_SIMULATED_DRIVER_H
#define MODEL_SIMULATED_DRIVER_H

#include <stdint.h>

struct scenario;

/* Before a ring is opened: its scenario, and the virtual time by which all must be done. */
void simulated_driver_begin(const struct scenario *scenario, uint64_t bound);
/* After it was closed: fails the seed if a driver was left behind. */
void simulated_driver_end(void);

#endif
