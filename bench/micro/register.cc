// SPDX-License-Identifier: BSD-2-Clause
// The micro benchmarks as google-benchmark sees them: one for each case and size.
#include <benchmark/benchmark.h>

#include <string>

#include "case.h"

namespace
{

struct Size {
	const char *name;
	uint32_t entries;
};

void run(benchmark::State &state, const bench_case *bench, uint32_t entries)
{
	void *bench_state = bench->open(entries);
	uint64_t operations = 0;

	if (!bench_state) {
		state.SkipWithError("out of memory");
		return;
	}
	for (auto _ : state)
		operations += bench->round(bench_state);
	if (const char *error = bench->close(bench_state))
		state.SkipWithError(error);
	// A rate in operations a second, inverted: seconds an operation.
	state.counters["seconds_per_op"] =
		benchmark::Counter(static_cast<double>(operations),
				   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void register_all()
{
	const bench_case *cases[] = { &bench_pool,
				      &bench_message,
				      &bench_lookup,
				      &bench_wheel,
				      &bench_engine,
				      &bench_engine_random_order,
				      &bench_engine_directed,
				      &bench_fabric_ideal,
				      &bench_fabric_modelled };
	const Size sizes[] = { { "n1k", 1u << 10 }, { "n16k", 1u << 14 }, { "n256k", 1u << 18 } };

	for (const bench_case *bench : cases)
		for (const Size &size : sizes)
			benchmark::RegisterBenchmark(
				(std::string(bench->name) + "/" + size.name).c_str(), run, bench,
				size.entries);
}

} // namespace

int main(int argc, char **argv)
{
	register_all();
	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return 2;
	return benchmark::RunSpecifiedBenchmarks() ? 0 : 1;
}
