/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CTL_H
#define SIM_CTL_H

/* ctl_main is "madring-sim ctl": it gives a command to a running simulator. Returns its status. */
int ctl_main(int argc, char **argv);

#endif
