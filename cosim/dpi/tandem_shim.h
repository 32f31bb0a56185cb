/* The bridge between a simulated device and the host, for any simulator with DPI-C. See docs/cosim.md.
 *
 * Rules that make it portable: imports only (no exports, no scopes, no context), `bit` types, called from clocked
 * blocks only, one thread. Nothing here calls back into the simulator. */
#ifndef TANDEM_SHIM_H
#define TANDEM_SHIM_H

#include "svdpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tandem_cycle, seen: what the bench sampled at this clock edge. */
enum {
  TANDEM_SEEN_IDLE = 1 << 0,      /* device reports idle */
  TANDEM_SEEN_REG_TAKEN = 1 << 1, /* register access accepted */
  TANDEM_SEEN_REG_ANSWER = 1 << 2,
  TANDEM_SEEN_MEM_END = 1 << 3,   /* last beat of a memory write accepted; address and length beside it */
  TANDEM_SEEN_READY = 1 << 4      /* tables are initialised: nothing is driven before */
};

/* tandem_cycle, drive: what the bench drives after this edge. Bits 31:16: register address in 27:16. */
enum {
  TANDEM_DRIVE_FRAME = 1 << 0,
  TANDEM_DRIVE_LAST = 1 << 1,
  TANDEM_DRIVE_BYTES_LSB = 2, /* 7 bits: bytes of this beat */
  TANDEM_DRIVE_REG = 1 << 9,
  TANDEM_DRIVE_WRITE = 1 << 10,
  TANDEM_DRIVE_MEM_READY = 1 << 11,
  TANDEM_DRIVE_MEM_ANSWER = 1 << 12,
  TANDEM_DRIVE_MEM_ERROR = 1 << 13,
  TANDEM_DRIVE_CPL_READY = 1 << 14,
  TANDEM_DRIVE_ACK_READY = 1 << 15,
  TANDEM_DRIVE_ADDR_LSB = 16
};

/* Names one preset parameter of this build; before tandem_open. */
void tandem_param(const char *name, int value);

/* Connects and shakes hands, or (plain not empty) loads the stimulus file instead and records nothing.
 * Returns 1: records wanted, 0: plain, -1: refused or failed (one line on stderr; the caller finishes). */
int tandem_open(const char *socket_path, const char *plain, const char *preset, const char *simulator,
                long long schema, long long seed, long long clock_ps);

/* One transaction of 1..4 pieces of 64 bytes, head first, sequence and digest left zero. */
void tandem_record1(const svBitVecVal *record);
void tandem_record2(const svBitVecVal *record);
void tandem_record3(const svBitVecVal *record);
void tandem_record4(const svBitVecVal *record);

/* Beats at the edges; each makes its boundary record at the last one. */
void tandem_frame_beat(long long cycle, const svBitVecVal *data, int bytes, int last);
void tandem_mem_beat(long long cycle, const svBitVecVal *data, int first, int last, long long addr, int length, int xid);
void tandem_ack_beat(long long cycle, const svBitVecVal *data, int bytes, int first, int last, int conn, int path,
                     int sport, int xid);

/* Once a clock edge, behind the records of that edge. Returns nonzero when the simulation is to finish. */
int tandem_cycle(long long cycle, int seen, long long mem_addr, int mem_length, svBitVecVal *drive,
                 svBitVecVal *reg_data, svBitVecVal *frame);

/* For the simulator's main: 0 where the run ended as agreed with the host, 2 otherwise. */
int tandem_exit_code(void);

#ifdef __cplusplus
}
#endif
#endif
