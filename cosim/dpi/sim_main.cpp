// Main of the Verilator build: clock, trace window, coverage, exit code. Neither of the two unless built with it and asked for.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "Vmr_bench.h"
#include "tandem_shim.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

std::string plusarg(const char* name, int argc, char** argv) {
  const size_t n = std::strlen(name);
  for (int i = 1; i < argc; i++)
    if (argv[i][0] == '+' && !std::strncmp(argv[i] + 1, name, n) && argv[i][n + 1] == '=') return argv[i] + n + 2;
  return "";
}

uint64_t number(const std::string& s, uint64_t otherwise) { return s.empty() ? otherwise : std::strtoull(s.c_str(), nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  const auto context = std::make_unique<VerilatedContext>();
  context->commandArgs(argc, argv);
  const auto top = std::make_unique<Vmr_bench>(context.get(), "bench");
#if VM_TRACE
  context->traceEverOn(true);
  const uint64_t from = number(plusarg("tandem_trace_from", argc, argv), 0);
  const uint64_t to = number(plusarg("tandem_trace_to", argc, argv), 0);
  const std::string file = plusarg("tandem_trace_file", argc, argv);
  std::unique_ptr<VerilatedFstC> trace;
  if (!file.empty()) {
    trace = std::make_unique<VerilatedFstC>();
    top->trace(trace.get(), 99);
    trace->open(file.c_str());
  }
#endif
  while (!context->gotFinish()) {
    for (int clk = 0; clk < 2 && !context->gotFinish(); clk++) {
      context->timeInc(2000);  // half of 4 ns, in ps
      top->clk_i = clk;
      top->eval();
#if VM_TRACE
      if (trace && top->cycle_o >= from && top->cycle_o <= to) trace->dump(context->time());
#endif
    }
#if VM_TRACE
    if (trace && top->cycle_o > to) break;  // nothing more to see
#endif
  }
#if VM_TRACE
  if (trace) trace->close();
  if (trace && !context->gotFinish()) return 0;
#endif
  top->final();
#if VM_COVERAGE
  const std::string points = plusarg("tandem_coverage", argc, argv);
  if (!points.empty()) context->coveragep()->write(points.c_str());
#endif
  return tandem_exit_code();
}
