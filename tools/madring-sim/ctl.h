/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CTL_H
#define SIM_CTL_H

/* "madring-sim ctl": tells a simulator that is running a command. The status to exit with. */
int ctl_main(int argc, char **argv);

#endif
