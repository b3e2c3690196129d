#ifndef PMG_POLICY_GLOB_PRIV_H
#define PMG_POLICY_GLOB_PRIV_H
/** What reading a pattern (glob_read.c) hands to matching it (glob.c). */
#include "policy/glob.h"

enum pmg_glob_kind {
	PMG_GLOB_LITERAL, /* bytes[at .. at + n) */
	PMG_GLOB_MAGIC,   /* tokens[at .. at + n) */
	PMG_GLOB_ANY      /* two stars */
};
struct pmg_glob_component {
	enum pmg_glob_kind kind;
	size_t at, n;
};

enum pmg_glob_token_kind { PMG_GLOB_BYTE, PMG_GLOB_ONE, PMG_GLOB_STAR, PMG_GLOB_SET };
struct pmg_glob_token {
	enum pmg_glob_token_kind kind;
	unsigned char byte;
	size_t set;
};
struct pmg_glob_set {
	unsigned char bits[256 / 8];
};

struct pmg_glob {
	unsigned more; /* owners besides the first */
	bool is_name;
	bool name_star;
	char *bytes; /* of literal components, escapes taken away; of a name, NUL-terminated */
	size_t n_bytes;
	char *fixed;
	struct pmg_glob_mask needs;
	struct pmg_glob_component *components;
	size_t n, cap;
	size_t lead; /* components that are literal, from the first on */
	size_t tail; /* components behind the last two stars; n when there are none */
	struct pmg_glob_token *tokens;
	size_t n_tokens, cap_tokens;
	struct pmg_glob_set *sets;
	size_t n_sets, cap_sets;
};

/** Add what stands for a component with these bytes. */
void pmg_glob_mask_add(struct pmg_glob_mask *mask, const char *s, size_t len);

#endif
