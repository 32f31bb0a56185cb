/* A device with nothing in it: the shim driven as a bench would drive it. One record a cycle, cycle numbers ascending.
 * fake_device SOCKET [name=value]...   cycles, preset, schema, seed, clock, conns; at=CYCLE do=exit|stall; do=ask */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/tandem_record.h"
#include "tandem_shim.h"

static const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  size_t n = strlen(name);
  for (int i = 2; i < argc; i++)
    if (!strncmp(argv[i], name, n) && argv[i][n] == '=') return argv[i] + n + 1;
  return otherwise;
}

static long long number(int argc, char **argv, const char *name, long long otherwise) {
  const char *s = option(argc, argv, name, NULL);
  return s ? (long long)strtoull(s, NULL, 0) : otherwise;
}

/* The shim's look at the threads of a silent host (linked with --wrap=opendir). With do=ask it says on its output that it
 * looks, waits for a byte, and finds a host that sleeps: what the host says meanwhile comes between the look and what follows. */
static int ask;
DIR *__real_opendir(const char *name);
DIR *__wrap_opendir(const char *name) {
  if (!ask) return __real_opendir(name);
  putchar('?');
  fflush(stdout);
  (void)getchar();
  return NULL;
}

static void emit(long long cycle) {
  svBitVecVal r[48];
  uint8_t *b = (uint8_t *)r;
  memset(r, 0, sizeof r);
  b[TANDEM_HEAD_VERSION] = TANDEM_RECORD_VERSION;
  b[TANDEM_HEAD_KIND] = TANDEM_KIND_WINDOW;
  b[TANDEM_HEAD_PARTS] = 2;
  b[TANDEM_HEAD_VALID] = 7;
  for (int i = 0; i < 8; i++) b[TANDEM_HEAD_CYCLE + i] = (uint8_t)((unsigned long long)cycle >> (8 * i));
  for (int i = 0; i < 100; i++) b[64 + i] = (uint8_t)(cycle + i);
  tandem_record3(r);
}

int main(int argc, char **argv) {
  long long cycles = number(argc, argv, "cycles", 1000), at = number(argc, argv, "at", -1);
  const char *what = option(argc, argv, "do", "");
  svBitVecVal drive, reg, frame[16];
  int seen = TANDEM_SEEN_READY;
  ask = !strcmp(what, "ask");
  tandem_param("conns", (int)number(argc, argv, "conns", 4));
  if (tandem_open(argv[1], "", option(argc, argv, "preset", "tiny"), "fake", number(argc, argv, "schema", (long long)TANDEM_SCHEMA_HASH),
                  number(argc, argv, "seed", 7), number(argc, argv, "clock", 4000)) < 0)
    return tandem_exit_code();
  for (long long cycle = 0;; cycle++) {
    if (cycle == at && !strcmp(what, "exit")) _exit(3);
    if (cycle == at && !strcmp(what, "stall"))
      for (;;) pause();
    if (cycle < cycles) emit(cycle);
    if (cycle >= cycles) seen |= TANDEM_SEEN_IDLE;
    if (tandem_cycle(cycle, seen, 0, 0, &drive, &reg, frame)) return tandem_exit_code();
    if (drive & TANDEM_DRIVE_REG) seen |= TANDEM_SEEN_REG_TAKEN;
    else seen &= ~TANDEM_SEEN_REG_TAKEN;
  }
}
