/* SPDX-License-Identifier: BSD-2-Clause */
#include "programs.h"

#include <stdlib.h>
#include <ucontext.h>

#include "ledger.h"
#include "model/common/must_alloc.h"
#include "simulated.h"
#include "virtual_clock.h"

#define STACK_BYTES (1024 * 1024)
#define NO_PROGRAM  PROGRAMS

struct program {
	ucontext_t context;
	void *stack;
	void *argument;
	uint64_t resume_at;
	bool has_ended;
};

static struct {
	struct program program[PROGRAMS];
	void (*play)(void *argument);
	unsigned int current;
	ucontext_t scheduler;
} programs = { .current = NO_PROGRAM };

bool programs_are_several(void)
{
	return programs.current != NO_PROGRAM;
}

static void run_current(void)
{
	struct program *program = &programs.program[programs.current];

	programs.play(program->argument);
	program->has_ended = true;
}

static void prepare(struct program *program, void *argument)
{
	*program = (struct program){
		.stack = must_alloc(STACK_BYTES),
		.argument = argument,
		.resume_at = virtual_now(),
	};
	getcontext(&program->context);
	program->context.uc_stack.ss_sp = program->stack;
	program->context.uc_stack.ss_size = STACK_BYTES;
	program->context.uc_link = &programs.scheduler;
	makecontext(&program->context, run_current, 0);
}

/* Returns the program whose time comes first, or NO_PROGRAM when all have ended. */
static unsigned int next_program(void)
{
	unsigned int next = NO_PROGRAM;

	for (unsigned int i = 0; i < PROGRAMS; i++) {
		const struct program *program = &programs.program[i];

		if (!program->has_ended &&
		    (next == NO_PROGRAM || program->resume_at < programs.program[next].resume_at))
			next = i;
	}
	return next;
}

void programs_play(void (*play)(void *argument), void *arguments[PROGRAMS])
{
	unsigned int next;

	programs.play = play;
	for (unsigned int i = 0; i < PROGRAMS; i++)
		prepare(&programs.program[i], arguments[i]);
	while ((next = next_program()) != NO_PROGRAM) {
		play_until(programs.program[next].resume_at);
		programs.current = next;
		ledger_select(next);
		swapcontext(&programs.scheduler, &programs.program[next].context);
		programs.current = NO_PROGRAM;
	}
	ledger_select(0);
	for (unsigned int i = 0; i < PROGRAMS; i++)
		free(programs.program[i].stack);
}

void programs_wait(uint64_t time)
{
	struct program *program = &programs.program[programs.current];

	if (time <= virtual_now())
		return;
	program->resume_at = time;
	swapcontext(&program->context, &programs.scheduler);
}
