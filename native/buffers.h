/* The memory through which JavaScript passes bytes. All static, so the sizes are the limits;
 * JavaScript splits what is longer. A second call overwrites the first. */
#ifndef PHAROS_BUFFERS_H
#define PHAROS_BUFFERS_H

/* The largest batch that a verifier takes (design: 64 to 1024); larger ones gain less than 2 %. */
#define MAX_ITEMS 1024

static unsigned char digests[MAX_ITEMS][32];
static unsigned char signatures[MAX_ITEMS][65]; /* header byte 27..34, r, s (big-endian) */
static unsigned char keys[MAX_ITEMS][33];       /* compressed points: results of recovery, expected keys of a proof */
static unsigned char verdicts[MAX_ITEMS];       /* 1 = recovered or proven */
static unsigned char secret[32];                /* a private key or a seed, until wipe_secrets */

EXPORT(max_items) int max_items(void) { return MAX_ITEMS; }
EXPORT(digests) unsigned char *digests_at(void) { return digests[0]; }
EXPORT(signatures) unsigned char *signatures_at(void) { return signatures[0]; }
EXPORT(keys) unsigned char *keys_at(void) { return keys[0]; }
EXPORT(verdicts) unsigned char *verdicts_at(void) { return verdicts; }
EXPORT(secret) unsigned char *secret_at(void) { return secret; }

#endif
