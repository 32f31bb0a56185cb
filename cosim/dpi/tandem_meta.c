/* The few protobuf messages of the handshake, written out by hand so that no simulator needs a protobuf library. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>

#include "tandem_internal.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

#define MAX_PARAMS 32
static struct { char name[24]; uint64_t value; } params[MAX_PARAMS];
static int n_params;

void meta_param(const char *name, int value) {
  if (n_params == MAX_PARAMS) return;
  snprintf(params[n_params].name, sizeof params[0].name, "%s", name);
  params[n_params++].value = (uint64_t)value;
}

static uint64_t meta_value(const char *name) {
  for (int i = 0; i < n_params; i++)
    if (!strcmp(params[i].name, name)) return params[i].value;
  return 1;
}

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t meta_rows(void) {
  uint64_t paths = meta_value("conns") * meta_value("paths"), streams = meta_value("streams");
  return most(most(paths, meta_value("keys")), streams * most(meta_value("msg_slots"), meta_value("recvs")));
}

/* ---- writing; callers size their buffer for the longest message ---- */

static uint8_t *put_varint(uint8_t *p, uint64_t v) {
  for (; v >= 0x80; v >>= 7) *p++ = (uint8_t)(v | 0x80);
  *p++ = (uint8_t)v;
  return p;
}

static uint8_t *put_number(uint8_t *p, int field, uint64_t v) {
  return put_varint(put_varint(p, (uint64_t)field << 3 | VARINT), v);
}

static uint8_t *put_fixed(uint8_t *p, int field, uint64_t v) {
  p = put_varint(p, (uint64_t)field << 3 | FIXED64);
  for (int i = 0; i < 8; i++) *p++ = (uint8_t)(v >> (8 * i));
  return p;
}

static uint8_t *put_bytes(uint8_t *p, int field, const void *data, size_t length) {
  p = put_varint(put_varint(p, (uint64_t)field << 3 | BYTES), length);
  memcpy(p, data, length);
  return p + length;
}

size_t meta_hello(uint8_t *out, size_t room, const char *preset, const char *simulator, const struct tandem_terms *terms,
                  uint32_t ring) {
  uint8_t param[64], *p = out;
  size_t preset_len = strnlen(preset, 100), simulator_len = strnlen(simulator, 200);
  if (room < 600 + (size_t)n_params * 40) return 0;
  p = put_number(p, 1, WIRE_PROTOCOL);
  p = put_fixed(p, 2, terms->schema);
  p = put_bytes(p, 3, preset, preset_len);
  for (int i = 0; i < n_params; i++) {
    uint8_t *q = put_bytes(param, 1, params[i].name, strlen(params[i].name));
    q = put_number(q, 2, params[i].value);
    p = put_bytes(p, 4, param, (size_t)(q - param));
  }
  p = put_number(p, 5, terms->seed);
  p = put_number(p, 6, terms->clock_ps);
  p = put_bytes(p, 7, simulator, simulator_len);
  p = put_number(p, 8, ring);
  return (size_t)(p - out);
}

size_t meta_terminate(uint8_t *out, uint64_t cycles, uint64_t transactions, uint64_t digest, int hung, uint64_t run_ns) {
  uint8_t *p = put_number(out, 1, cycles);
  p = put_number(p, 2, transactions);
  p = put_fixed(p, 3, digest);
  p = put_number(p, 4, (uint64_t)hung);
  p = put_number(p, 5, run_ns);
  return (size_t)(p - out);
}

/* ---- reading; every step bounded by end, unknown fields are stepped over ---- */

struct field { uint32_t number; uint64_t value; const uint8_t *data; size_t length; };

static const uint8_t *get_varint(const uint8_t *p, const uint8_t *end, uint64_t *v) {
  *v = 0;
  for (int shift = 0; p < end && shift < 64; shift += 7) {
    uint8_t b = *p++;
    *v |= (uint64_t)(b & 0x7f) << shift;
    if (!(b & 0x80)) return p;
  }
  return NULL;
}

static const uint8_t *get_field(const uint8_t *p, const uint8_t *end, struct field *f) {
  uint64_t key;
  memset(f, 0, sizeof *f);
  p = get_varint(p, end, &key);
  if (!p) return NULL;
  f->number = (uint32_t)(key >> 3);
  size_t left = (size_t)(end - p), width = 8;
  switch (key & 7) {
  case VARINT:
    return get_varint(p, end, &f->value);
  case BYTES:
    p = get_varint(p, end, &f->value);
    if (!p || f->value > (uint64_t)(end - p)) return NULL;
    f->data = p;
    f->length = (size_t)f->value;
    return p + f->length;
  case FIXED32:
    width = 4; /* fall through */
  case FIXED64:
    if (left < width) return NULL;
    for (size_t i = 0; i < width; i++) f->value |= (uint64_t)p[i] << (8 * i);
    return p + width;
  }
  return NULL;
}

int meta_welcome(const uint8_t *in, size_t length, struct tandem_terms *terms, char *refusal, size_t room) {
  struct field f;
  refusal[0] = 0;
  memset(terms, 0, sizeof *terms);
  for (const uint8_t *p = in, *end = in + length; p < end;) {
    p = get_field(p, end, &f);
    if (!p) return -1;
    switch (f.number) {
    case 1: snprintf(refusal, room, "%.*s", (int)f.length, (const char *)f.data); break;
    case 2: terms->schema = f.value; break;
    case 3: terms->seed = f.value; break;
    case 4: terms->clock_ps = f.value; break;
    case 5: terms->digest = f.value != 0; break;
    case 6: terms->batch = (uint32_t)f.value; break;
    case 7: terms->credit = (uint32_t)f.value; break;
    case 8: terms->quiet_cycles = f.value; break;
    case 9: terms->stall_ms = (uint32_t)f.value; break;
    }
  }
  return 0;
}

int meta_ack(const uint8_t *in, size_t length, uint64_t *transactions, uint64_t *digest) {
  struct field f;
  *transactions = *digest = 0;
  for (const uint8_t *p = in, *end = in + length; p < end;) {
    p = get_field(p, end, &f);
    if (!p) return -1;
    if (f.number == 1) *transactions = f.value;
    if (f.number == 2) *digest = f.value;
  }
  return 0;
}
