/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated driver's functions for a test, beside those of src/driver/driver.h. */
#ifndef MODEL_SIMULATED_DRIVER_H
#define MODEL_SIMULATED_DRIVER_H

#include <stdint.h>

struct scenario;

/* Sets, before a ring is opened, its scenario and the virtual time by which all must be done. */
void simulated_driver_begin(const struct scenario *scenario, uint64_t bound);
/* Fails the seed if a driver is still open. Call it after the ring was closed. */
void simulated_driver_end(void);

#endif
