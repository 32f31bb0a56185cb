/* Shared by the files of the shim; nobody else includes it. */
#ifndef TANDEM_INTERNAL_H
#define TANDEM_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "tandem_shim.h"

/* ---- frame of the bridge: 16 bytes, little-endian ----
 * 0 magic "TDM1"; 4 type; 5 flags (1: last part); 6 zero; 8 length of what follows;
 * 12 device to host: stimulus bytes used so far; host to device: transactions taken so far (both modulo 2^32). */
#define WIRE_HEADER 16
#define WIRE_PROTOCOL 1
#define WIRE_MAX (4u << 20) /* longest message either side takes */
enum {
  MSG_HELLO = 1, MSG_RECORDS = 2, MSG_ALIVE = 3, MSG_RING = 4, MSG_TERMINATE = 5, MSG_FAIL = 6,
  MSG_WELCOME = 16, MSG_STIMULUS = 17, MSG_CREDIT = 18, MSG_FETCH = 19, MSG_TERMINATE_ACK = 20, MSG_STOP = 21
};
#define FLAG_LAST 1

/* What the handshake agreed on. */
struct tandem_terms {
  uint64_t schema, seed, clock_ps, quiet_cycles;
  uint32_t batch, credit, stall_ms;
  int digest;
};

/* tandem_wire.c */
int wire_connect(const char *path);                          /* 0, or -1 after wire_fail */
void wire_send(int type, int flags, uint8_t *message, size_t length); /* message has WIRE_HEADER free bytes in front */
int wire_poll(void);                                         /* takes what the host sent; 1 if anything came */
void wire_wait(const char *what);                            /* blocks for something from the host, bounded */
void wire_keepalive(void);                                   /* a sign of life if the last one is old */
void wire_fail(const char *format, ...);                     /* ends the run: one line here and to the host */
void wire_bye(void);                                         /* closes the socket */
int wire_failed(void);
uint64_t wire_now_ns(void);

/* tandem_meta.c: the protobuf messages of cosim/bridge/bridge.proto, by hand */
size_t meta_hello(uint8_t *out, size_t room, const char *preset, const char *simulator, const struct tandem_terms *terms,
                  uint32_t ring);
size_t meta_terminate(uint8_t *out, uint64_t cycles, uint64_t transactions, uint64_t digest, int hung, uint64_t run_ns);
int meta_welcome(const uint8_t *in, size_t length, struct tandem_terms *terms, char *refusal, size_t room);
int meta_ack(const uint8_t *in, size_t length, uint64_t *transactions, uint64_t *digest);
void meta_param(const char *name, int value);
uint64_t meta_rows(void);                                    /* of the largest table, by the parameters named so far */

/* tandem_record.c */
#define RING 4096u /* transactions kept whole; power of two */
void record_start(const struct tandem_terms *terms);
void record_credit(uint32_t taken);
void record_flush(void);
void record_tick(uint64_t cycle);          /* flushes what waits for too long */
void record_send_ring(void);
int record_terminate(uint64_t cycles, int hung, uint64_t run_ns); /* 0 when both sides counted the same */
void record_acknowledged(uint64_t transactions, uint64_t digest);
uint64_t record_last_cycle(void);          /* of the newest transaction */

/* tandem_stim.c */
void stim_start(uint64_t seed, uint64_t quiet_cycles, int plain);
int stim_load(const char *file);
void stim_append(const uint8_t *items, size_t length, int last);
uint32_t stim_used(void);
void stim_stop(void);                      /* the host wants no more */
int stim_stopped(void);
int stim_faulty(uint64_t addr, uint32_t length);

#endif
