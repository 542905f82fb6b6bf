/* SPDX-License-Identifier: BSD-2-Clause */
/* Whoever is told to change the fabric, over the control socket. */
#ifndef SIM_LOOP_CTL_H
#define SIM_LOOP_CTL_H

struct loop;

/* 0 or -errno. */
int ctl_listen(struct loop *loop);
void ctl_unlink(struct loop *loop);

#endif
