/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The works that a case may consist of. Each plays one in an open game, and fills in the time, what
 * was found, and whether that is all.
 */
#ifndef TIMES_WORKS_H
#define TIMES_WORKS_H

struct game;
struct times_result;

void work_sweep(struct game *game, struct times_result *result);
void work_collection(struct game *game, struct times_result *result);
void work_listening(struct game *game, struct times_result *result);
void work_two_sweeps(struct game *game, struct times_result *result);
void work_queries(struct game *game, struct times_result *result);

#endif
