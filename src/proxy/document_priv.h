#ifndef PMG_PROXY_DOCUMENT_PRIV_H
#define PMG_PROXY_DOCUMENT_PRIV_H
/** A document on its way in, until it is known what of it is withheld (document.c), and on its way
 *  out (document_answer.c). */
#include "proxy/ages.h"
#include "proxy/document.h"
#include "proxy/inflate.h"
#include "proxy/page.h"
#include "proxy/spool.h"
#include "proxy/turn.h"

#define PMG_DOCUMENT_PIECE    65536U /* bytes at a time, on the way out */
#define PMG_DOCUMENT_ETAG_MAX 64U

enum pmg_document_stage {
	PMG_DOCUMENT_READING, /* it comes */
	PMG_DOCUMENT_READ,    /* all of it has come, and could be read */
	PMG_DOCUMENT_DATING,  /* a registry is asked for its dates */
	PMG_DOCUMENT_JUDGING, /* the judge is asked for one version after the other */
	PMG_DOCUMENT_READY
};

struct pmg_document {
	struct pmg_service *service;
	struct pmg_task *task;
	enum pmg_document_stage stage;
	size_t registry;
	enum pmg_eco eco;
	char *name, *canonical;
	char *version; /* or tag, of a document of one; else NULL */
	struct pmg_url url;
	char *if_none_match, *if_modified_since;
	bool filters;
	bool needs_dates;

	struct pmg_head head; /* of the answer */
	struct pmg_spooled body;
	struct pmg_page *page; /* until it is planned */
	struct pmg_turn turn;
	struct pmg_ages_wait wait;
	struct pmg_err why; /* code is not 0: it cannot be handed on */
	struct pmg_filtered filtered;
	char *instead; /* of a document of one version that is withheld: another one */
	bool is_filtered;
	bool is_lost; /* it is not in body whole */

	char etag[PMG_DOCUMENT_ETAG_MAX];
	uint64_t at; /* of the body, handed on */
	struct pmg_inflate *inflate;
	struct pmg_splicer splicer;
	struct pmg_str ready;
	char piece[PMG_DOCUMENT_PIECE];
};

#endif
