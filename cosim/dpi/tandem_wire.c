/* The socket: frames, bounded waits, signs of life. Nothing here blocks for longer than the agreed silence. */
#define _GNU_SOURCE /* struct ucred */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tandem_internal.h"

#define ALIVE_MS 150
#define BUSY_FACTOR 16u /* how much longer a host may be silent that is not given a processor */
#define CONNECT_STALL_MS 5000 /* silence allowed before the terms are known */

static int fd = -1, failed, fetch_wanted;
static uint8_t *rx;
static size_t rx_length;
static uint64_t sent_ns, heard_ns;
static uint32_t stall_ms = CONNECT_STALL_MS;

/* The handshake in the making. */
static int welcome_seen;
static struct tandem_terms terms;

uint64_t wire_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int wire_failed(void) { return failed; }

void wire_bye(void) {
  if (fd >= 0) close(fd);
  fd = -1;
}

static void header(uint8_t *h, int type, int flags, size_t length) {
  uint32_t used = stim_used(), n = (uint32_t)length;
  memcpy(h, "TDM1", 4);
  h[4] = (uint8_t)type;
  h[5] = (uint8_t)flags;
  h[6] = h[7] = 0;
  for (int i = 0; i < 4; i++) {
    h[8 + i] = (uint8_t)(n >> (8 * i));
    h[12 + i] = (uint8_t)(used >> (8 * i));
  }
}

void wire_fail(const char *format, ...) {
  uint8_t message[WIRE_HEADER + 400];
  char *text = (char *)message + WIRE_HEADER;
  va_list args;
  if (failed) return;
  failed = 1;
  va_start(args, format);
  vsnprintf(text, sizeof message - WIRE_HEADER, format, args);
  va_end(args);
  fprintf(stderr, "tandem device: %s\n", text);
  fflush(stderr);
  if (fd >= 0) { /* best effort: the host learns the cause if it still listens */
    header(message, MSG_FAIL, FLAG_LAST, strlen(text));
    ssize_t ignored = send(fd, message, WIRE_HEADER + strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)ignored;
  }
  wire_bye();
}

static void take_welcome(const uint8_t *data, size_t length) {
  struct tandem_terms host;
  char refusal[400];
  if (welcome_seen) { wire_fail("the host sent a second welcome"); return; }
  if (meta_welcome(data, length, &host, refusal, sizeof refusal)) { wire_fail("the host's welcome is garbled"); return; }
  if (refusal[0]) { wire_fail("refused by the host: %s", refusal); return; }
  if (host.schema != terms.schema)
    wire_fail("schema of the host is %016llx, of this device %016llx: rebuild one of them", (unsigned long long)host.schema,
              (unsigned long long)terms.schema);
  else if (host.seed != terms.seed)
    wire_fail("seed of the host is %llu, of this device %llu", (unsigned long long)host.seed, (unsigned long long)terms.seed);
  else if (host.clock_ps != terms.clock_ps)
    wire_fail("clock period of the host is %llu ps, of this device %llu ps", (unsigned long long)host.clock_ps,
              (unsigned long long)terms.clock_ps);
  else if (host.batch == 0 || host.credit < host.batch || host.batch + (uint64_t)host.credit > RING)
    wire_fail("the host wants batches of %u and %u transactions on their way; one batch at least, and with one more at most %u", host.batch,
              host.credit, RING);
  else if (host.stall_ms == 0 || host.quiet_cycles == 0)
    wire_fail("the host's welcome sets no limits");
  else {
    terms = host;
    stall_ms = host.stall_ms;
    welcome_seen = 1;
  }
}

static void take(int type, int flags, uint32_t taken, const uint8_t *data, size_t length) {
  uint64_t transactions, digest;
  record_credit(taken);
  switch (type) {
  case MSG_WELCOME: take_welcome(data, length); break;
  case MSG_STIMULUS: stim_append(data, length, flags & FLAG_LAST); break;
  case MSG_CREDIT: break;
  case MSG_FETCH: fetch_wanted = 1; break;
  case MSG_STOP: stim_stop(); break;
  case MSG_TERMINATE_ACK:
    if (meta_ack(data, length, &transactions, &digest)) wire_fail("the host's last message is garbled");
    else record_acknowledged(transactions, digest);
    break;
  default: wire_fail("garbage on the socket: message type %d from the host", type);
  }
}

static uint32_t word(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }

/* Takes whole messages off the front of rx. */
static void parse(void) {
  size_t at = 0;
  while (!failed && rx_length - at >= WIRE_HEADER) {
    const uint8_t *h = rx + at;
    uint32_t length = word(h + 8);
    if (memcmp(h, "TDM1", 4) || h[6] || h[7]) {
      wire_fail("garbage on the socket: bytes %02x %02x %02x %02x where a message of the host should start", h[0], h[1], h[2], h[3]);
      return;
    }
    if (length > WIRE_MAX) { wire_fail("garbage on the socket: a message of %u bytes from the host", length); return; }
    if (rx_length - at - WIRE_HEADER < length) break;
    take(h[4], h[5], word(h + 12), h + WIRE_HEADER, length);
    at += WIRE_HEADER + length;
  }
  if (at) memmove(rx, rx + at, rx_length -= at);
}

int wire_poll(void) {
  int any = 0;
  while (!failed && fd >= 0) {
    ssize_t n = recv(fd, rx + rx_length, WIRE_HEADER + WIRE_MAX - rx_length, MSG_DONTWAIT);
    if (n > 0) {
      rx_length += (size_t)n;
      heard_ns = wire_now_ns();
      any = 1;
      parse();
    } else if (n == 0 || errno == ECONNRESET) {
      wire_fail("the host closed the socket before the end of the run");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      wire_fail("reading from the host: %s", strerror(errno));
    }
  }
  if (fetch_wanted && !failed) {
    fetch_wanted = 0;
    stim_stop();
    record_send_ring();
  }
  return any;
}

/* Whether any thread of the host waits for a processor or a disk: then the machine is too busy, and the host is not to blame. */
static int host_runs(void) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  char path[300], line[400];
  int runs = 0;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) return 0;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)peer.pid);
  DIR *tasks = opendir(path);
  if (!tasks) return 0;
  for (struct dirent *e; !runs && (e = readdir(tasks));) {
    snprintf(path, sizeof path, "/proc/%ld/task/%s/stat", (long)peer.pid, e->d_name);
    FILE *f = fopen(path, "r");
    if (!f) continue;
    if (fgets(line, sizeof line, f)) {
      const char *name_end = strrchr(line, ')');
      runs = name_end && name_end[1] && (name_end[2] == 'R' || name_end[2] == 'D');
    }
    fclose(f);
  }
  closedir(tasks);
  return runs;
}

/* The host says something every 200 ms, busy or not. Called behind wire_poll, so that a device that slept itself has
 * taken what came meanwhile before it judges; it polls once more behind the look at the host, which may have spoken and gone
 * to sleep between the two. */
static void check_host(const char *what) {
  uint64_t silent = (wire_now_ns() - heard_ns) / 1000000u;
  if (fd < 0 || silent <= stall_ms) return;
  if (silent < BUSY_FACTOR * (uint64_t)stall_ms && host_runs()) return;
  if (wire_poll() || failed) return;
  wire_fail("the host was silent for %llu ms while this device %s", (unsigned long long)silent, what);
}

void wire_keepalive(void) {
  uint8_t message[WIRE_HEADER];
  check_host("ran");
  if (fd < 0 || wire_now_ns() - sent_ns < ALIVE_MS * 1000000ull) return;
  wire_send(MSG_ALIVE, 0, message, 0);
}

void wire_wait(const char *what) {
  uint8_t message[WIRE_HEADER];
  if (wire_poll() || failed) return;
  wire_send(MSG_ALIVE, 0, message, 0); /* the host learns how much of its stimulus was used */
  while (!failed && !wire_poll()) {
    struct pollfd p = {fd, POLLIN, 0};
    check_host(what);
    if (failed) return;
    poll(&p, 1, ALIVE_MS);
    if (wire_now_ns() - sent_ns > ALIVE_MS * 1000000ull) wire_send(MSG_ALIVE, 0, message, 0);
  }
}

void wire_send(int type, int flags, uint8_t *message, size_t length) {
  size_t at = 0, total = WIRE_HEADER + length;
  uint64_t start = 0;
  int last = 0;
  if (fd < 0 || failed) return;
  header(message, type, flags, length);
  while (at < total && !failed) {
    ssize_t n = send(fd, message + at, total - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      at += (size_t)n;
      start = 0;
      last = 0;
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
      int e = errno;
      wire_poll(); /* its last words, a refusal say, are worth more */
      wire_fail(e == EPIPE || e == ECONNRESET ? "the host closed the socket before the end of the run" : "writing to the host failed");
      return;
    }
    /* The host takes nothing. It may be writing to us in turn, which is stimulus and fits its window: wait only. */
    uint64_t now = wire_now_ns();
    if (!start) start = now;
    if (last || now - start > BUSY_FACTOR * stall_ms * 1000000ull) {
      wire_fail("the host took nothing for %u ms", stall_ms);
      return;
    }
    if (now - start > stall_ms * 1000000ull && !host_runs()) {
      last = 1; /* it may have taken something and gone to sleep before it was looked at */
      continue;
    }
    struct pollfd p = {fd, POLLOUT, 0};
    poll(&p, 1, ALIVE_MS);
  }
  sent_ns = wire_now_ns();
}

int wire_connect(const char *path) {
  struct sockaddr_un a;
  size_t length = strlen(path);
  memset(&a, 0, sizeof a);
  a.sun_family = AF_UNIX;
  if (length >= sizeof a.sun_path) {
    wire_fail("socket path of %zu bytes is too long, %zu are possible: %s", length, sizeof a.sun_path - 1, path);
    return -1;
  }
  memcpy(a.sun_path, path, length);
  rx = malloc(WIRE_HEADER + WIRE_MAX);
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (!rx || fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a)) {
    int e = errno;
    wire_fail("cannot connect to the host at %s: %s", path, strerror(e));
    return -1;
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  heard_ns = wire_now_ns();
  int size = 1 << 20;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return 0;
}

/* Handshake and life of the run, as the DPI calls see it. */

int tandem_open(const char *socket_path, const char *plain, const char *preset, const char *simulator,
                long long schema, long long seed, long long clock_ps) {
  static uint8_t hello[WIRE_HEADER + 2048];
  terms.schema = (uint64_t)schema;
  terms.seed = (uint64_t)seed;
  terms.clock_ps = (uint64_t)clock_ps;
  if (plain[0]) {
    stim_start(terms.seed, 1u << 20, 1);
    return stim_load(plain) ? -1 : 0;
  }
  if (!socket_path[0]) {
    wire_fail("no socket: start the simulator with +tandem_socket=PATH, or +tandem_plain=FILE for a run without host");
    return -1;
  }
  if (wire_connect(socket_path)) return -1;
  size_t n = meta_hello(hello + WIRE_HEADER, sizeof hello - WIRE_HEADER, preset, simulator, &terms, RING);
  wire_send(MSG_HELLO, FLAG_LAST, hello, n);
  while (!welcome_seen && !failed) wire_wait("waited for its welcome");
  if (failed) return -1;
  record_start(&terms);
  stim_start(terms.seed, terms.quiet_cycles, 0);
  return 1;
}

void tandem_param(const char *name, int value) { meta_param(name, value); }
