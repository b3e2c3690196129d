#ifndef PMG_RUN_PINS_H
#define PMG_RUN_PINS_H
/**
 * What the proxy does not see: packages that the manager takes from its own cache or store, or that
 * lie installed already. What the project has settled on is put to the proxy's judge before the
 * tool is started, and what is new when it has ended.
 *
 *   pins.c      what follows from the answers
 *   pins_ask.c  a set of packages as questions, and the answers to them
 */
#include "pm/settled.h"
#include "run/attend.h"

#define PMG_PINS_DIAG     3008
#define PMG_PINS_YOUNG    3003   /* of an answer; the code that a fetched one has, too */
#define PMG_PINS_AT_ONCE  150U   /* that about fit into one question */
#define PMG_PINS_DATES_MS 60000U /* for the dates of a whole set; beyond, none is known */

/* An answer, and what it is about. */
struct pmg_pin_hit {
	size_t at; /* in the set */
	struct pmg_wire_answer what;
};
struct pmg_pin_hits {
	struct pmg_pin_hit *v;
	size_t n, cap;
};
void pmg_pin_hits_done(struct pmg_pin_hits *hits);
PMG_DEFINE_AUTO_DONE(pin_hits, struct pmg_pin_hits, pmg_pin_hits_done);

/* Is the age of a package judged? violation/wire.h has what each means in ASK. */
enum pmg_pin_age { PMG_PIN_AGE_NONE, PMG_PIN_AGE_AHEAD, PMG_PIN_AGE_BEFORE, PMG_PIN_AGE_AFTER };
typedef enum pmg_pin_age pmg_pin_age_fn(void *ctx, const struct pmg_resolved_package *package);

/**
 * Put all of a set to the judge.
 * @param set      sorted; of a package that stands in it several times the first one is asked
 * @param age, ctx asked of each package once
 * @param[out] out  zeroed before; in the order of the set
 * @return 0, also with attend->ended_by set and not all of them; as pmg_attend_ask()
 */
int pmg_pins_ask(struct pmg_attend *attend, const struct pmg_resolved *set, pmg_pin_age_fn *age,
		 void *ctx, struct pmg_pin_hits *out, struct pmg_err *err) PMG_MUST_CHECK;

/* Of one run. Zeroed is empty. */
struct pmg_pins {
	struct pmg_resolved pins, tree; /* before the run; sorted */
	char *stamp;                    /* of all of it; pmg_settled_stamp() */
	struct pmg_stamps stamps;       /* of what lay there; sorted */
	struct pmg_resolved listed;     /* refused by the judge, and let stand to be mended */
	bool lands;                     /* the command may install what is pinned */
	bool anew;                      /* and does, though it lies there */
	size_t checked;                 /* packages that were put to the judge */
	size_t landed;                  /* of them, new and not seen by the proxy */
};
void pmg_pins_done(struct pmg_pins *pins);

struct pmg_running;
/** Read what is settled, while others are busy. @return 0; -PMG_E_LIMIT */
int pmg_pins_read(struct pmg_running *run, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Before the tool is started: may it be?
 * @param[out] refused  what is listed is in the record, and told; nothing may be started
 * @return 0, also when we were asked to end meanwhile; as pmg_attend_ask()
 */
int pmg_pins_before(struct pmg_running *run, bool *refused, struct pmg_err *err) PMG_MUST_CHECK;
/** The tool has ended and the proxy is still there: what is new goes into the record. */
int pmg_pins_after(struct pmg_running *run, struct pmg_err *err) PMG_MUST_CHECK;

#endif
