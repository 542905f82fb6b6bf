/* SPDX-License-Identifier: BSD-2-Clause */
/* The well-known LIDs (IBA 4.1.3), and the Q_Key of QP1. */
#ifndef MADRING_BASE_ADDRESS_H
#define MADRING_BASE_ADDRESS_H

#define MULTICAST_LID  0xc000u /* the first multicast LID */
#define PERMISSIVE_LID 0xffffu
#define GSI_QKEY       0x80010000u

#endif
