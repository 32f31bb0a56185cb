/* Records on their way to the host: numbered, digested, kept whole in a ring, sent in batches. */
#include <string.h>

#include "gen/tandem_record.h"
#include "tandem_internal.h"

#define PIECE 64u
#define SLOT 256u
#define LATE_CYCLES 4096u /* a record waits no longer than that for its batch to fill */

static struct tandem_terms terms;
static uint8_t ring[RING][SLOT]; /* transaction seq at seq mod RING */
static uint8_t out[WIRE_HEADER + 1024 * SLOT];
static uint32_t out_count;
static size_t out_length;
static uint64_t seq, heads, last_cycle, oldest_cycle;
static uint32_t taken; /* by the host, modulo 2^32 */
static int acknowledged, agreed;
static uint64_t host_transactions, host_digest;

void record_start(const struct tandem_terms *agreed_terms) {
  terms = *agreed_terms;
  if (terms.batch > 1024) terms.batch = 1024;
}

void record_credit(uint32_t n) { taken = n; }
uint64_t record_last_cycle(void) { return last_cycle; }

static void put(uint8_t *p, int bytes, uint64_t v) {
  for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t get64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

/* Same fold as target.HeadsDigest: the words side by side, then one step of the chain. */
static uint64_t fold(uint64_t h, const uint8_t *head) {
  const uint64_t k = 0x9e3779b97f4a7c15ull;
  uint64_t sum = 0;
  for (int i = 0; i < 8; i++) sum += get64(head + 8 * i) * (k * (2 * (uint64_t)i + 1));
  h = (h ^ sum) * k;
  return h ^ h >> 32;
}

/* At most `credit` transactions are on their way when a batch has left, and one batch is gathered before the next one
 * waits here: all that the host has not worked off are in the ring. */
void record_flush(void) {
  while (!wire_failed() && !stim_stopped() && (uint32_t)seq - taken > terms.credit)
    wire_wait("waited for its records to be taken");
  /* A second look answered during the wait has used the buffer; nobody wants this batch any more. */
  if (out_count && !stim_stopped()) wire_send(MSG_RECORDS, 0, out, out_length);
  out_count = 0;
  out_length = 0;
}

/* A whole transaction in its ring slot: number, digest, into the batch. */
static void commit(uint8_t *slot, int pieces) {
  int words = tandem_state_words(slot[TANDEM_HEAD_KIND]);
  put(slot + TANDEM_HEAD_SEQ, 4, seq);
  put(slot + TANDEM_HEAD_DIGEST, 8, words ? tandem_digest(slot + PIECE, (size_t)words) : 0);
  size_t length = terms.digest ? PIECE : PIECE * (size_t)pieces;
  if (!out_count) oldest_cycle = get64(slot + TANDEM_HEAD_CYCLE);
  memcpy(out + WIRE_HEADER + out_length, slot, length);
  out_length += length;
  heads = fold(heads, slot);
  last_cycle = get64(slot + TANDEM_HEAD_CYCLE);
  seq++;
  if (++out_count >= terms.batch) record_flush();
}

static void take(const svBitVecVal *record, int pieces) {
  uint8_t *slot = ring[seq % RING];
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  for (int i = 0; i < 16 * pieces; i++) put(slot + 4 * i, 4, record[i]);
#else
  memcpy(slot, record, PIECE * (size_t)pieces);
#endif
  commit(slot, pieces);
}

void tandem_record1(const svBitVecVal *record) { take(record, 1); }
void tandem_record2(const svBitVecVal *record) { take(record, 2); }
void tandem_record3(const svBitVecVal *record) { take(record, 3); }
void tandem_record4(const svBitVecVal *record) { take(record, 4); }

void record_tick(uint64_t cycle) {
  if (out_count && cycle - oldest_cycle > LATE_CYCLES) record_flush();
}

/* ---- boundary records from the beats at the edges ---- */

static uint8_t *boundary(int kind, int parts, uint64_t cycle, uint32_t xid, uint32_t conn, uint32_t path) {
  uint8_t *slot = ring[seq % RING];
  memset(slot, 0, PIECE * (size_t)(1 + parts));
  slot[TANDEM_HEAD_VERSION] = TANDEM_RECORD_VERSION;
  slot[TANDEM_HEAD_KIND] = (uint8_t)kind;
  slot[TANDEM_HEAD_PARTS] = (uint8_t)parts;
  put(slot + TANDEM_HEAD_CYCLE, 8, cycle);
  put(slot + TANDEM_HEAD_XID, 4, xid);
  put(slot + TANDEM_HEAD_CONN, 2, conn);
  slot[TANDEM_HEAD_PATH] = (uint8_t)path;
  slot[TANDEM_HEAD_VALID] = (uint8_t)((1 << (1 + parts)) - 1);
  return slot;
}

/* Bytes gathered over the beats of one frame, write or packet. */
struct gather { uint64_t digest; uint32_t length; };

/* What is wrong with the beats of one write or packet: the rules of docs/memory-port.md that a record has no field for.
 * It goes into the head's op, where the model has 0; cosim/lockstep/port.go names it. The lowest number wins. */
enum port_fault { PORT_FIRST = 1, PORT_STANDS, PORT_LENGTH, PORT_BEHIND };

struct port {
  int inside, fault;
  uint64_t beside[4]; /* what stands beside every beat */
};

static void port_wrong(struct port *p, int wrong, int fault) {
  if (wrong && (!p->fault || fault < p->fault)) p->fault = fault;
}

/* One beat with so many bytes; it must be full unless it is the last. */
static void port_beat(struct port *p, const svBitVecVal *data, int first, int last, uint32_t bytes, const uint64_t beside[4]) {
  uint8_t beat[PIECE];
  uint8_t junk = 0;
  if (first) p->fault = 0;
  port_wrong(p, !first == !p->inside, PORT_FIRST);
  if (first) memcpy(p->beside, beside, sizeof p->beside);
  port_wrong(p, memcmp(p->beside, beside, sizeof p->beside) != 0, PORT_STANDS);
  port_wrong(p, bytes == 0 || bytes > PIECE || (!last && bytes != PIECE), PORT_LENGTH);
  memcpy(beat, data, PIECE);
  for (uint32_t i = bytes; i < PIECE; i++) junk |= beat[i];
  port_wrong(p, junk, PORT_BEHIND);
  p->inside = !last;
}

/* Beats are full but for the last, so each but the last is eight whole words. */
static void gather(struct gather *g, const svBitVecVal *data, uint32_t claimed) {
  uint8_t beat[PIECE];
  uint32_t bytes = claimed < PIECE ? claimed : PIECE; /* a device may claim anything; the length shows it */
  memcpy(beat, data, PIECE);
  memset(beat + bytes, 0, PIECE - bytes);
  if (!g->length) g->digest = TANDEM_DIGEST_SEED;
  for (uint32_t i = 0; i < bytes; i += 8) g->digest = tandem_digest_word(g->digest, get64(beat + i));
  g->length += claimed;
}

void tandem_frame_beat(long long cycle, const svBitVecVal *data, int bytes, int last) {
  static struct gather g;
  static uint32_t frames;
  gather(&g, data, (uint32_t)bytes);
  if (!last) return;
  uint8_t *slot = boundary(TANDEM_KIND_PACKET_IN, 0, (uint64_t)cycle, ++frames, 0, 0);
  put(slot + TANDEM_PACKET_IN_FRAME_LEN, 2, g.length);
  put(slot + TANDEM_PACKET_IN_HASH, 8, g.digest);
  commit(slot, 1);
  g.length = 0;
}

void tandem_mem_beat(long long cycle, const svBitVecVal *data, int first, int last, long long addr, int length, int xid) {
  static struct gather g;
  static struct port port;
  static uint64_t write_addr;
  static uint32_t write_length, write_xid;
  if (first) {
    write_addr = (uint64_t)addr;
    write_length = (uint32_t)length;
    write_xid = (uint32_t)xid;
    g.length = 0;
  }
  uint32_t left = write_length > g.length ? write_length - g.length : 0;
  const uint64_t beside[4] = {(uint64_t)addr, (uint32_t)length, (uint32_t)xid, 0};
  port_beat(&port, data, first, last, left < PIECE ? left : PIECE, beside);
  port_wrong(&port, last && left > PIECE, PORT_LENGTH);
  gather(&g, data, left < PIECE ? left : PIECE);
  if (!last) return;
  uint8_t *slot = boundary(TANDEM_KIND_MEM_WRITE, 0, (uint64_t)cycle, write_xid, 0, 0);
  slot[TANDEM_HEAD_OP] = (uint8_t)port.fault;
  put(slot + TANDEM_MEM_WRITE_ADDR, 8, write_addr);
  put(slot + TANDEM_MEM_WRITE_LENGTH, 2, g.length); /* bytes that came, not bytes announced */
  slot[TANDEM_MEM_WRITE_ERROR] = (uint8_t)stim_faulty(write_addr, write_length);
  put(slot + TANDEM_MEM_WRITE_HASH, 8, g.digest);
  commit(slot, 1);
}

void tandem_ack_beat(long long cycle, const svBitVecVal *data, int bytes, int first, int last, int conn, int path,
                     int sport, int xid) {
  static struct gather g;
  static struct port port;
  static uint8_t packet[2 * PIECE];
  static uint32_t head_conn, head_path, head_sport, head_xid;
  if (first) {
    memset(packet, 0, sizeof packet);
    g.length = 0;
    head_conn = (uint32_t)conn;
    head_path = (uint32_t)path;
    head_sport = (uint32_t)sport;
    head_xid = (uint32_t)xid;
  }
  const uint64_t beside[4] = {(uint32_t)conn, (uint32_t)path, (uint32_t)sport, (uint32_t)xid};
  port_beat(&port, data, first, last, (uint32_t)bytes, beside);
  if (bytes >= 0 && (uint32_t)bytes <= PIECE && g.length <= sizeof packet - PIECE)
    memcpy(packet + g.length, data, (size_t)bytes);
  gather(&g, data, (uint32_t)bytes);
  if (!last) return;
  uint8_t *slot = boundary(TANDEM_KIND_PACKET_OUT, 2, (uint64_t)cycle, head_xid, head_conn, head_path);
  slot[TANDEM_HEAD_OP] = (uint8_t)port.fault;
  put(slot + TANDEM_PACKET_OUT_LENGTH, 2, g.length);
  put(slot + TANDEM_PACKET_OUT_SPORT, 2, head_sport);
  put(slot + TANDEM_PACKET_OUT_HASH, 8, g.digest);
  memcpy(slot + TANDEM_PACKET_OUT_BYTES, packet, 112);
  commit(slot, 3);
}

/* ---- second look and end ---- */

void record_send_ring(void) {
  uint64_t first = seq > RING ? seq - RING : 0;
  out_count = 0;
  out_length = 0;
  for (uint64_t n = first; n < seq; n++) {
    const uint8_t *slot = ring[n % RING];
    size_t length = PIECE * (size_t)(1 + slot[TANDEM_HEAD_PARTS]);
    if (out_length + length > 1024 * SLOT) {
      wire_send(MSG_RING, 0, out, out_length);
      out_length = 0;
    }
    memcpy(out + WIRE_HEADER + out_length, slot, length);
    out_length += length;
  }
  wire_send(MSG_RING, FLAG_LAST, out, out_length);
  out_length = 0;
}

void record_acknowledged(uint64_t transactions, uint64_t digest) {
  acknowledged = 1;
  host_transactions = transactions;
  host_digest = digest;
  agreed = transactions == seq && digest == heads;
}

int record_terminate(uint64_t cycles, int hung, uint64_t run_ns) {
  uint8_t message[WIRE_HEADER + 64];
  record_flush();
  size_t n = meta_terminate(message + WIRE_HEADER, cycles, seq, heads, hung, run_ns);
  wire_send(MSG_TERMINATE, FLAG_LAST, message, n);
  while (!acknowledged && !wire_failed() && !stim_stopped()) wire_wait("waited for the last count");
  if (wire_failed()) return -1;
  if (!acknowledged) return 0;
  if (!agreed)
    wire_fail("counts differ at the end: sent %llu transactions with digest %016llx, the host has %llu with %016llx",
              (unsigned long long)seq, (unsigned long long)heads, (unsigned long long)host_transactions,
              (unsigned long long)host_digest);
  return agreed ? 0 : -1;
}
