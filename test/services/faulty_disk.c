// A disk that fails at a chosen moment: loaded before libc by LD_PRELOAD. It sees only files below FAULTY_DISK_FOLDER.
// FAULTY_DISK_RULE is CALL:NUMBER:WHAT. CALL is write, sync, rename or open; NUMBER counts such calls from 1. WHAT is
//   an errno as a number: this call and all later ones of its kind fail with it
//   once-ERRNO: this call alone fails
//   short: writes half
//   delay: takes a second
//   kill: the process is gone, what it has written stays
//   lose, tear, spoil: the power fails: what was not synced is gone, or half of it is, or it is garbage
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, SYNC, RENAME, OPEN, KINDS, MOST_FILES = 4096 };
static const char *const kind_names[KINDS] = {"write", "sync", "rename", "open"};

// A file as it was when it was synced last. It is known by its number, since its name may change.
struct file {
  int in_use;
  ino_t inode;
  off_t synced_size;
  char path[PATH_MAX];
  struct before *overwritten;
};

// Bytes that a write has replaced since then.
struct before {
  struct before *next;
  off_t at;
  size_t length;
  char bytes[];
};

static struct file files[MOST_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static int rule_kind = -1;
static long rule_number;
static char rule_what[64];
static long counts[KINDS];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *wanted = getenv("FAULTY_DISK_FOLDER"), *rule = getenv("FAULTY_DISK_RULE");
  if (!wanted || !rule) return;
  snprintf(folder, sizeof folder, "%s", wanted);
  char kind[16];
  if (sscanf(rule, "%15[^:]:%ld:%63s", kind, &rule_number, rule_what) != 3) return;
  for (int k = 0; k < KINDS; k++)
    if (!strcmp(kind, kind_names[k])) rule_kind = k;
}

static int is_below(const char *path) { return folder[0] && !strncmp(path, folder, strlen(folder)); }

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

static struct file *file_of(int fd, const char *path) {
  struct stat now;
  if (fstat(fd, &now) || !S_ISREG(now.st_mode)) return NULL;
  struct file *unused = NULL;
  for (int k = 0; k < MOST_FILES; k++) {
    if (files[k].in_use && files[k].inode == now.st_ino) {
      snprintf(files[k].path, PATH_MAX, "%s", path);
      return &files[k];
    }
    if (!files[k].in_use && !unused) unused = &files[k];
  }
  if (!unused) return NULL;
  // First seen before anything is written: what lies there is as old as the process at least.
  *unused = (struct file){.in_use = 1, .inode = now.st_ino, .synced_size = now.st_size};
  snprintf(unused->path, PATH_MAX, "%s", path);
  return unused;
}

static void forget(struct file *file) {
  while (file->overwritten) {
    struct before *next = file->overwritten->next;
    free(file->overwritten);
    file->overwritten = next;
  }
}

// The power fails: each file is what it was when it was synced last.
static void lose(const char *how) {
  for (int k = 0; k < MOST_FILES; k++) {
    struct file *file = &files[k];
    struct stat now;
    int fd = file->in_use ? REAL(open)(file->path, O_RDWR) : -1;
    if (fd < 0) continue;
    if (!fstat(fd, &now) && now.st_ino == file->inode) {
      for (struct before *each = file->overwritten; each; each = each->next)
        if (REAL(pwrite)(fd, each->bytes, each->length, each->at) < 0) break;
      off_t unsynced = now.st_size - file->synced_size;
      if (unsynced > 0 && !strcmp(how, "spoil")) {
        for (off_t at = file->synced_size; at < now.st_size; at++) {
          char garbage = (char)(at * 2654435761u >> 13);
          if (REAL(pwrite)(fd, &garbage, 1, at) < 0) break;
        }
      } else if (unsynced > 0 && ftruncate(fd, file->synced_size + (strcmp(how, "tear") ? 0 : unsynced / 2)))
        perror("faulty_disk");
    }
    close(fd);
  }
  kill(getpid(), SIGKILL);
}

// Decides on this call: 0 lets it through, an errno fails it, -1 makes it a short write.
static int verdict(int kind) {
  if (kind != rule_kind) return 0;
  long number = ++counts[kind];
  if (number < rule_number) return 0;
  int number_of_error = atoi(rule_what);
  if (number_of_error > 0) return number_of_error;
  if (number > rule_number) return 0;
  if (!strncmp(rule_what, "once-", 5)) return atoi(rule_what + 5);
  if (!strcmp(rule_what, "short")) return -1;
  if (!strcmp(rule_what, "delay")) sleep(1);
  else if (!strcmp(rule_what, "kill")) kill(getpid(), SIGKILL);
  else if (!strcmp(rule_what, "lose") || !strcmp(rule_what, "tear") || !strcmp(rule_what, "spoil")) lose(rule_what);
  return 0;
}

// Keeps what a write is about to replace, of what was synced.
static void keep(int fd, struct file *file, off_t at, size_t length) {
  if (!file || at >= file->synced_size) return;
  if (at + (off_t)length > file->synced_size) length = (size_t)(file->synced_size - at);
  struct before *before = malloc(sizeof *before + length);
  if (!before) return;
  *before = (struct before){.next = file->overwritten, .at = at, .length = length};
  if (pread(fd, before->bytes, length, at) == (ssize_t)length) file->overwritten = before;
  else free(before);
}

static ssize_t written(int fd, const void *bytes, size_t length, off_t at) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return at < 0 ? REAL(write)(fd, bytes, length) : REAL(pwrite)(fd, bytes, length, at);
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd, path);
  int what = verdict(WRITE);
  ssize_t result = -1;
  if (what > 0) errno = what;
  else {
    if (what < 0 && length > 1) length /= 2;
    keep(fd, file, at < 0 ? lseek(fd, 0, SEEK_CUR) : at, length);
    result = at < 0 ? REAL(write)(fd, bytes, length) : REAL(pwrite)(fd, bytes, length, at);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return result;
}

ssize_t write(int fd, const void *bytes, size_t length) { return written(fd, bytes, length, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return written(fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return written(fd, bytes, length, at); }

static int synced(int fd, int (*real)(int)) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd);
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd, path);
  int what = verdict(SYNC);
  int result = what > 0 ? -1 : real(fd);
  if (what > 0) errno = what;
  struct stat now;
  if (!result && file && !fstat(fd, &now)) {
    file->synced_size = now.st_size;
    forget(file);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return result;
}

int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

int rename(const char *from, const char *to) {
  if (is_below(to)) {
    pthread_mutex_lock(&lock);
    int what = verdict(RENAME);
    for (int k = 0; k < MOST_FILES && what <= 0; k++)
      if (files[k].in_use && !strcmp(files[k].path, from)) snprintf(files[k].path, PATH_MAX, "%s", to);
    pthread_mutex_unlock(&lock);
    if (what > 0) return errno = what, -1;
  }
  return REAL(rename)(from, to);
}

static int opened(int fd, const char *path) {
  char real[PATH_MAX];
  if (fd < 0 || !path_of(fd, real)) return fd;
  pthread_mutex_lock(&lock);
  file_of(fd, real);
  pthread_mutex_unlock(&lock);
  (void)path;
  return fd;
}

static int refused(const char *path) {
  if (!is_below(path)) return 0;
  pthread_mutex_lock(&lock);
  int what = verdict(OPEN);
  pthread_mutex_unlock(&lock);
  if (what > 0) errno = what;
  return what > 0;
}

// A file that is emptied is not what was synced any more, and one that is new was never synced.
#define OPENS(name, ...)                            \
  va_list list;                                             \
  va_start(list, flags);                                    \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
  va_end(list);                                             \
  return refused(path) ? -1 : opened(REAL(name)(__VA_ARGS__, mode), path)

int open(const char *path, int flags, ...) { OPENS(open, path, flags); }
int open64(const char *path, int flags, ...) { OPENS(open64, path, flags); }
int openat(int at, const char *path, int flags, ...) { OPENS(openat, at, path, flags); }
int openat64(int at, const char *path, int flags, ...) { OPENS(openat64, at, path, flags); }
