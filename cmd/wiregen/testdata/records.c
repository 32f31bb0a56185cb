/* Reads vectors/golden/wire/records.txt from stdin and holds tandem_record.h against it: place of every value, parts,
 * words of state, digest, and that nothing else is set. Prints "PASS n" or what is wrong. Driven by a Go test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TANDEM_RECORD_TABLE
#include "tandem_record.h"

static char kind[64], name[64], values[128][2][1024];
static int count, checks, failures;

static void check(int good, const char *what) {
  checks++;
  if (good) return;
  failures++;
  printf("FAIL %s %s: %s\n", kind, name, what);
}

static int nibble(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* Bytes of a hexadecimal number, lowest first. */
static void number(const char *hex, uint8_t *out, int bytes) {
  int n = (int)strlen(hex);
  memset(out, 0, (size_t)bytes);
  for (int i = 0; i < n; i++) {
    int digit = n - 1 - i;
    if (digit / 2 < bytes) out[digit / 2] |= (uint8_t)(nibble(hex[i]) << (digit % 2 ? 4 : 0));
  }
}

static void take(uint8_t *record, int offset, int size, const char *hex, const char *what) {
  uint8_t want[256];
  number(hex, want, size);
  check(memcmp(record + offset, want, (size_t)size) == 0, what);
  memset(record + offset, 0, (size_t)size); /* what is left over at the end belongs to nothing */
}

static int head_offset(const char *field, int *size) {
  static const struct { const char *name; int offset, size; } head[] = {
    {"head.op", TANDEM_HEAD_OP, 1}, {"head.seq", TANDEM_HEAD_SEQ, 4}, {"head.cycle", TANDEM_HEAD_CYCLE, 8},
    {"head.xid", TANDEM_HEAD_XID, 4}, {"head.conn", TANDEM_HEAD_CONN, 2}, {"head.path", TANDEM_HEAD_PATH, 1},
    {"head.stream", TANDEM_HEAD_STREAM, 2}};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    if (!strcmp(head[i].name, field)) {
      *size = head[i].size;
      return head[i].offset;
    }
  return -1;
}

static void field(uint8_t *record, int id, const char *what, const char *hex) {
  int size, offset = head_offset(what, &size);
  if (offset >= 0) {
    take(record, offset, size, hex, what);
    return;
  }
  for (size_t i = 0; i < sizeof tandem_fields / sizeof *tandem_fields; i++)
    if (tandem_fields[i].kind == id && !strcmp(tandem_fields[i].name, what)) {
      check(!strcmp(tandem_fields[i].kind_name, kind), "name of the kind");
      take(record, tandem_fields[i].offset, tandem_fields[i].size, hex, what);
      return;
    }
  check(0, what);
}

static void record_line(const char *hex) {
  uint8_t record[TANDEM_RECORD_MAX];
  int length = (int)strlen(hex) / 2;
  for (int i = 0; i < length; i++) record[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
  int id = record[TANDEM_HEAD_KIND], words = tandem_state_words(id);
  check(tandem_parts(id) == record[TANDEM_HEAD_PARTS], "parts");
  check(length == TANDEM_RECORD_BYTES * (1 + tandem_parts(id)), "length");
  uint64_t digest = words ? tandem_digest(record + TANDEM_RECORD_BYTES, (size_t)words) : 0;
  check(digest == tandem_get(record + TANDEM_HEAD_DIGEST, 8), "digest");
  check(record[TANDEM_HEAD_VERSION] == TANDEM_RECORD_VERSION, "version");
  check(record[TANDEM_HEAD_VALID] == (2 << tandem_parts(id)) - 1, "valid mask");
  for (int i = 0; i < count; i++) field(record, id, values[i][0], values[i][1]);
  memset(record, 0, 4);
  record[TANDEM_HEAD_VALID] = 0;
  memset(record + TANDEM_HEAD_DIGEST, 0, 8);
  for (int i = 0; i < length; i++)
    if (record[i]) check(0, "a byte that belongs to no value is set");
}

int main(void) {
  static char line[2048], key[1024], value[1024];
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "record %63s %63s", kind, name) == 2) {
      count = 0;
    } else if (sscanf(line, " %1023s %1023s", key, value) == 2 && line[0] == ' ') {
      if (!strcmp(key, "hex")) {
        record_line(value);
      } else if (count < 128) {
        snprintf(values[count][0], sizeof values[0][0], "%s", key);
        snprintf(values[count++][1], sizeof values[0][1], "%s", value);
      }
    }
  }
  check(tandem_parts(0) == -1 && tandem_state_words(0) == 0, "kind 0");
  printf(failures ? "FAILED %d of %d\n" : "PASS %d\n", failures ? failures : checks, checks);
  return failures || checks < 100;
}
