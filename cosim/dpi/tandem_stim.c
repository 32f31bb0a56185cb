/* The bench's side of every port: stimulus items in order, stalls, the memory stub. Everything here depends on the
 * stimulus, the seed and what the device did, never on when the host's bytes came: an item that is not here yet is
 * waited for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/tandem_record.h"
#include "tandem_internal.h"

/* An item: 40 bytes, little-endian, then its data filled to 8 bytes (cosim/journal/items.go writes them). */
#define ITEM_BYTES 40
enum { ITEM_FRAME = 1, ITEM_WRITE, ITEM_READ, ITEM_WAIT, ITEM_IDLE, ITEM_FAULT, ITEM_LATENCY, ITEM_STALL };
enum { PORT_NONE, PORT_FRAME, PORT_MEMORY, PORT_COMPLETION, PORT_ACK, PORT_REGISTER, PORTS };

#define MAX_FRAME 65535u
#define REG_QUEUE 32u  /* accesses taken ahead: enough for the arguments of a command */
#define MEM_QUEUE 4096u /* writes whose answer is due */
#define IDLE_CYCLES 12 /* the device must report idle that long, behind everything the bench gave it */
#define MAX_FAULTS 64

static uint8_t *items;
static size_t items_length, items_at, items_room;
static int items_last, plain, stopped, started;
static uint32_t used;
static uint64_t quiet_cycles, wait_until, waiting_since, start_ns, start_cycle, next_poll;
static int idle_run;

static struct { uint64_t rng; uint32_t permille, run, left; } stall[PORTS];
static uint32_t ready_count[PORTS]; /* cycles without a stall since the newest event */
static uint64_t latency_rng;
static uint64_t latency_low = 8, latency_high = 8;
static struct { uint64_t lo, hi; } fault[MAX_FAULTS];
static int faults;

static struct frame { uint8_t data[MAX_FRAME + 1]; uint32_t length, at, gap; int full; } frames[2]; /* now and next */
static int frame_now;
static uint64_t reg_queue[REG_QUEUE]; /* data 31:0, address 43:32, write 63 */
static uint32_t reg_head, reg_tail;
static int reg_shown, reg_answer_due;
static struct { uint64_t due; int error; } mem_queue[MEM_QUEUE];
static uint32_t mem_head, mem_tail;
static uint64_t mem_due;

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

void stim_start(uint64_t seed, uint64_t quiet, int is_plain) {
  quiet_cycles = quiet;
  plain = is_plain;
  /* A stream of its own for every port: one more draw at one of them moves nothing at the others. */
  for (int i = 0; i < PORTS; i++) stall[i].rng = seed ^ (uint64_t)(i + 1) * 0xd1342543de82ef95ull;
  latency_rng = seed ^ 0x2545f4914f6cdd1dull;
}

uint32_t stim_used(void) { return used; }
void stim_stop(void) { stopped = 1; }
int stim_stopped(void) { return stopped; }

void stim_append(const uint8_t *data, size_t length, int last) {
  if (items_at > items_length / 2) { /* rarely, so that each byte moves at most once */
    memmove(items, items + items_at, items_length -= items_at);
    items_at = 0;
  }
  if (items_length + length > items_room) {
    size_t room = items_room ? items_room : 1u << 20;
    while (room < items_length + length) room *= 2;
    uint8_t *bigger = realloc(items, room);
    if (!bigger) { wire_fail("no memory for %zu bytes of stimulus", room); return; }
    items = bigger;
    items_room = room;
  }
  memcpy(items + items_length, data, length);
  items_length += length;
  items_last |= last;
}

int stim_load(const char *file) {
  static uint8_t chunk[1 << 16];
  size_t n;
  FILE *f = fopen(file, "rb");
  if (!f) { wire_fail("cannot read the stimulus %s", file); return -1; }
  while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) stim_append(chunk, n, 0);
  fclose(f);
  items_last = 1;
  return wire_failed() ? -1 : 0;
}

static uint32_t get32(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }
static uint64_t get64(const uint8_t *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }
static uint32_t get16(const uint8_t *p) { return p[0] | p[1] << 8; }

static int ports_quiet(void) {
  return !frames[0].full && !frames[1].full && reg_head == reg_tail && !reg_shown && !reg_answer_due;
}

/* Both ports done, nothing on its way at the memory, and the device idle for a while. */
static int all_idle(void) { return ports_quiet() && mem_head == mem_tail && idle_run >= IDLE_CYCLES; }

int stim_faulty(uint64_t addr, uint32_t length) {
  uint64_t last = addr + (length ? length - 1 : 0);
  for (int i = 0; i < faults; i++)
    if (last < addr ? addr <= fault[i].hi || last >= fault[i].lo : addr <= fault[i].hi && last >= fault[i].lo) return 1;
  return 0;
}

/* Into the half that is driven next: the current one if that is empty. */
static int take_frame(const uint8_t *h, uint32_t length) {
  struct frame *f = &frames[frames[frame_now].full ? frame_now ^ 1 : frame_now];
  if (f->full || (f == &frames[frame_now] && frames[frame_now ^ 1].full)) return 0;
  memcpy(f->data, h + ITEM_BYTES, length);
  f->length = length;
  f->at = 0;
  f->gap = get32(h + 8);
  f->full = 1;
  return 1;
}

/* The head item, if it may be issued now: 1 issued, 0 not yet. */
static int issue(const uint8_t *h, uint32_t length, uint64_t cycle) {
  uint32_t port = h[1];
  switch (h[0]) {
  case ITEM_FRAME:
    return take_frame(h, length);
  case ITEM_WRITE:
  case ITEM_READ:
    if (reg_tail - reg_head == REG_QUEUE) return 0;
    reg_queue[reg_tail++ % REG_QUEUE] = (uint64_t)get32(h + 4) | (uint64_t)(get16(h + 2) & 0xfff) << 32 |
                                        (uint64_t)(h[0] == ITEM_WRITE) << 63;
    return 1;
  case ITEM_WAIT:
    if (!ports_quiet()) return 0;
    if (!wait_until) wait_until = cycle + get32(h + 4);
    if (cycle < wait_until) return 0;
    wait_until = 0;
    return 1;
  case ITEM_FAULT: /* in force for whole frames: the model has no other way to know since when */
    if (!all_idle()) return 0;
    if (get64(h + 16) > get64(h + 24)) faults = 0;
    else if (faults < MAX_FAULTS) {
      fault[faults].lo = get64(h + 16);
      fault[faults++].hi = get64(h + 24);
    } else wire_fail("more than %d fault ranges at once", MAX_FAULTS);
    return 1;
  case ITEM_IDLE:
    return all_idle();
  case ITEM_LATENCY:
    latency_low = get64(h + 16) ? get64(h + 16) : 1;
    latency_high = get64(h + 24) > latency_low ? get64(h + 24) : latency_low;
    return 1;
  case ITEM_STALL:
    if (port == PORT_NONE || port >= PORTS) { wire_fail("stimulus: stall of port %u, which is none", port); return 0; }
    stall[port].permille = get16(h + 12);
    stall[port].run = get16(h + 14);
    return 1;
  }
  wire_fail("stimulus: item of kind %u, which this bench does not know", h[0]);
  return 0;
}

/* Issues what may be issued at this edge. Returns 1 when everything is through and the device is idle. */
static int issue_items(uint64_t cycle) {
  while (!wire_failed() && !stopped) {
    size_t left = items_length - items_at, whole = 0;
    const uint8_t *h = items + items_at;
    uint32_t length = 0;
    if (left >= ITEM_BYTES) {
      length = get32(h + 32);
      whole = ITEM_BYTES + ((size_t)length + 7) / 8 * 8;
      if (length > MAX_FRAME || (h[0] == ITEM_FRAME && length == 0)) {
        wire_fail("stimulus: an item with %u bytes of data", length);
        return 0;
      }
    }
    if (left < ITEM_BYTES || left < whole) {
      if (items_last && left) { wire_fail("stimulus ends inside an item"); return 0; }
      if (items_last) return all_idle();
      record_flush();
      wire_wait("waited for stimulus");
      continue;
    }
    if (!issue(h, length, cycle)) return 0;
    items_at += whole;
    used += (uint32_t)whole;
  }
  return 0;
}

/* A stall begins with permille/1000 and lasts 1..run cycles. */
static int stalled(int port) {
  if (stall[port].left) {
    stall[port].left--;
    return 1;
  }
  if (stall[port].permille && stall[port].run) {
    uint64_t r = next_random(&stall[port].rng);
    if ((uint32_t)(r >> 32) % 1000 < stall[port].permille) {
      stall[port].left = (uint32_t)r % stall[port].run;
      return 1;
    }
  }
  ready_count[port]++;
  return 0;
}

static uint32_t drive_frame(svBitVecVal *data) {
  struct frame *f = &frames[frame_now];
  if (!f->full) {
    frame_now ^= 1;
    f = &frames[frame_now];
    if (!f->full) return 0;
  }
  if (f->gap) {
    f->gap--;
    return 0;
  }
  if (stalled(PORT_FRAME)) return 0;
  uint32_t left = f->length - f->at, bytes = left < 64 ? left : 64;
  if (bytes < 64) memset(data, 0, 64);
  memcpy(data, f->data + f->at, bytes);
  f->at += bytes;
  f->full = f->at < f->length;
  return TANDEM_DRIVE_FRAME | (f->full ? 0 : TANDEM_DRIVE_LAST) | bytes << TANDEM_DRIVE_BYTES_LSB;
}

static uint32_t drive_register(int seen, svBitVecVal *reg_data) {
  if (seen & TANDEM_SEEN_REG_ANSWER) reg_answer_due = 0;
  if (seen & TANDEM_SEEN_REG_TAKEN && reg_shown) {
    reg_answer_due = !(reg_queue[reg_head % REG_QUEUE] >> 63);
    reg_head++;
    reg_shown = 0;
    /* The answer may come in the very cycle of acceptance. */
    if (seen & TANDEM_SEEN_REG_ANSWER) reg_answer_due = 0;
  }
  if (reg_shown) ready_count[PORT_REGISTER]++;
  else if (reg_head == reg_tail || reg_answer_due) {
    ready_count[PORT_REGISTER]++; /* nothing to hold up */
    return 0;
  } else if (stalled(PORT_REGISTER)) return 0;
  reg_shown = 1;
  uint64_t a = reg_queue[reg_head % REG_QUEUE];
  *reg_data = (svBitVecVal)a;
  return TANDEM_DRIVE_REG | (a >> 63 ? TANDEM_DRIVE_WRITE : 0) | (uint32_t)(a >> 32 & 0xfff) << TANDEM_DRIVE_ADDR_LSB;
}

static uint32_t drive_memory(uint64_t cycle, int seen, uint64_t addr, uint32_t length) {
  uint32_t drive = 0;
  if (seen & TANDEM_SEEN_MEM_END) {
    uint64_t span = latency_high - latency_low + 1;
    uint64_t due = cycle + latency_low + (span > 1 ? next_random(&latency_rng) % span : 0);
    if (due < mem_due) due = mem_due; /* answers keep the order of writes */
    mem_due = due;
    mem_queue[mem_tail % MEM_QUEUE].due = due;
    mem_queue[mem_tail++ % MEM_QUEUE].error = stim_faulty(addr, length);
  }
  if (mem_head != mem_tail && mem_queue[mem_head % MEM_QUEUE].due <= cycle) {
    drive |= TANDEM_DRIVE_MEM_ANSWER;
    if (mem_queue[mem_head++ % MEM_QUEUE].error) drive |= TANDEM_DRIVE_MEM_ERROR;
  }
  if (mem_tail - mem_head < MEM_QUEUE - 64 && !stalled(PORT_MEMORY)) drive |= TANDEM_DRIVE_MEM_READY;
  return drive;
}

/* The device owes something (the bench waits for it to be idle, or for an access) and shows nothing for too long.
 * What ends by itself does not count: a frame on its way or waiting for its gap, an answer of the memory that is due.
 * Nor does time in which a port was held up: each must have been ready READY_ENOUGH times, which is more than a transaction
 * has beats. It makes its event with the last of them. */
#define READY_ENOUGH (TANDEM_MAX_FRAME / 64u + 16u)
static int hung(uint64_t cycle) {
  static uint64_t newest;
  int owing = items_at == items_length ? items_last : items[items_at] == ITEM_IDLE || items[items_at] == ITEM_FAULT;
  owing = (owing || reg_shown) && !frames[0].full && !frames[1].full && mem_head == mem_tail;
  if (!owing) waiting_since = cycle;
  uint64_t since = waiting_since > record_last_cycle() ? waiting_since : record_last_cycle();
  if (since != newest) {
    newest = since;
    memset(ready_count, 0, sizeof ready_count);
  }
  if (!owing || cycle - since <= quiet_cycles) return 0;
  return ready_count[PORT_MEMORY] >= READY_ENOUGH && ready_count[PORT_COMPLETION] >= READY_ENOUGH &&
         ready_count[PORT_ACK] >= READY_ENOUGH && ready_count[PORT_REGISTER] >= READY_ENOUGH;
}

static int finish(uint64_t cycle, int is_hung) {
  uint64_t ns = wire_now_ns() - start_ns;
  if (plain) {
    printf("{\"cycles\":%llu,\"from\":%llu,\"run_ns\":%llu,\"hung\":%s}\n", (unsigned long long)cycle,
           (unsigned long long)start_cycle, (unsigned long long)ns, is_hung ? "true" : "false");
    if (is_hung) wire_fail("no end within %llu cycles", (unsigned long long)quiet_cycles);
    return 1;
  }
  record_terminate(cycle, is_hung, ns);
  wire_bye();
  return 1;
}

/* About every 20 ms: that is many cycles of a small device and few of a large one. */
static void poll_host(uint64_t cycle) {
  static uint64_t interval = 1, before;
  wire_poll();
  wire_keepalive();
  uint64_t now = wire_now_ns();
  if (now - before < 10000000u && interval < 1024) interval *= 2;
  if (now - before > 40000000u && interval > 1) interval /= 2;
  before = now;
  next_poll = cycle + interval;
}

/* A sweep writes a row a cycle; a device that takes four times as long for its largest table, or falls back, is hung.
 * Nothing would ever end such a run: nothing is driven, so nothing is late. */
static int never_ready(void) {
  static uint64_t unready;
  return ++unready > 4096 + 4 * meta_rows();
}

int tandem_cycle(long long at, int seen, long long mem_addr, int mem_length, svBitVecVal *drive,
                 svBitVecVal *reg_data, svBitVecVal *data) {
  uint64_t cycle = (uint64_t)at;
  *drive = 0;
  *reg_data = 0;
  if (cycle >= next_poll && !plain && !wire_failed()) poll_host(cycle);
  if (wire_failed()) return 1;
  if (stopped) { /* stopped by the host */
    wire_bye();
    return 1;
  }
  if (!(seen & TANDEM_SEEN_READY)) return never_ready() ? finish(cycle, 1) : 0;
  if (!started) { /* the speed of a run is that of its stimulus, not of the sweep over the tables */
    started = 1;
    start_ns = wire_now_ns();
    start_cycle = cycle;
    waiting_since = cycle;
  }
  if (!plain) record_tick(cycle);
  idle_run = seen & TANDEM_SEEN_IDLE && ports_quiet() ? idle_run + 1 : 0;
  uint32_t d = drive_memory(cycle, seen, (uint64_t)mem_addr, (uint32_t)mem_length);
  uint32_t r = drive_register(seen, reg_data);
  if (issue_items(cycle)) return finish(cycle, 0);
  if (stopped || wire_failed()) return 1;
  d |= drive_frame(data) | r;
  if (!stalled(PORT_COMPLETION)) d |= TANDEM_DRIVE_CPL_READY;
  if (!stalled(PORT_ACK)) d |= TANDEM_DRIVE_ACK_READY;
  *drive = d;
  if ((cycle & 63) == 0 && hung(cycle)) return finish(cycle, 1);
  return 0;
}

int tandem_exit_code(void) { return wire_failed() ? 2 : 0; }
