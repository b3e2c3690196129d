#ifndef PMG_BASE_ERR_H
#define PMG_BASE_ERR_H
/**
 * The one error value. It is filled where the facts are, gets context on the
 * way up, and is printed once, by a program's main. It allocates nothing and
 * fits PIPE_BUF, so that a child can send it through a close-on-exec pipe.
 *
 * Rules for callers: `err` is never NULL; who does not care passes a scratch
 * one. A function that fails returns the negated code and leaves its other
 * outputs untouched.
 */
#include <stdarg.h>
#include <stddef.h>

#define PMG_MUST_CHECK   __attribute__((warn_unused_result))
#define PMG_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* What a caller may act on. docs/errors.md lists them; a new one only if somebody acts on it. */
enum pmg_code {
	PMG_E_SYS = 1,     /* a system call failed, errnum says how */
	PMG_E_USAGE,       /* the command line is wrong */
	PMG_E_CONFIG,      /* a file of the user's is wrong: path:line:column in msg */
	PMG_E_PARSE,       /* bytes from outside do not follow their format */
	PMG_E_LIMIT,       /* something from outside is larger than its named maximum */
	PMG_E_NOTFOUND,    /* what was asked for is not there */
	PMG_E_UNSUPPORTED, /* this host lacks something that is needed */
	PMG_E_NETWORK,     /* no connection, or it broke */
	PMG_E_TLS,         /* certificates or handshake */
	PMG_E_DB,          /* SQLite */
	PMG_E_PEER,        /* another pmg process broke off or sent nonsense */
	PMG_E_TIMEOUT,     /* somebody took too long */
	PMG_E_INTERNAL,    /* our own mistake */
	PMG_E_MAX
};

struct pmg_err {
	enum pmg_code code;
	int errnum;     /* errno value, 0 when none */
	int diag;       /* PMGnnnn shown in brackets, 0 for none; page in docs/codes/ */
	char msg[512];  /* what failed, one line, no newline */
	char hint[256]; /* what the user can do, "" when nothing */
};

#define PMG_ERR_INIT                                                                               \
	{                                                                                          \
		.code = PMG_E_INTERNAL                                                             \
	}

/** Fill *err; a non-zero errnum appends ": strerror". Too long text is cut. @return -code */
int pmg_err_set(struct pmg_err *err, enum pmg_code code, int errnum, const char *fmt, ...)
	PMG_PRINTF(4, 5);

/** Put "fmt: " in front of the message. @return -code of *err */
int pmg_err_wrap(struct pmg_err *err, const char *fmt, ...) PMG_PRINTF(2, 3);

/** Say what the user can do; replaces an earlier hint. @return -code of *err */
int pmg_err_hint(struct pmg_err *err, const char *fmt, ...) PMG_PRINTF(2, 3);

/** Give the error a diagnostic number (PMGnnnn). @return -code of *err */
int pmg_err_diag(struct pmg_err *err, int diag);

/** Let it count as another code: a file that is not there is a wrong command line for who typed its
 *  name. What it says stays. @return -code */
int pmg_err_as(struct pmg_err *err, enum pmg_code code);

#define PMG_DIAG_LEN 16 /* "PMG3001" and NUL, with room for any int */
/** A diagnostic number as people and JSON see it. */
void pmg_diag_text(int diag, char out[PMG_DIAG_LEN]);

/*
 * The callers of the first five above rest on a negative result: "if (r < 0) return r" must have
 * filled err. What each returns stands in another file, so say it here, for the compiler's analyzer
 * and for the reader; an error that does not read as one stops the program rather than goes on.
 */
#define PMG_NEGATIVE(call)                                                                         \
	__extension__({                                                                            \
		int pmg_negative_ = (call);                                                        \
		if (pmg_negative_ >= 0)                                                            \
			__builtin_trap();                                                          \
		pmg_negative_;                                                                     \
	})
#define pmg_err_set(...)  PMG_NEGATIVE(pmg_err_set(__VA_ARGS__))
#define pmg_err_wrap(...) PMG_NEGATIVE(pmg_err_wrap(__VA_ARGS__))
#define pmg_err_hint(...) PMG_NEGATIVE(pmg_err_hint(__VA_ARGS__))
#define pmg_err_diag(...) PMG_NEGATIVE(pmg_err_diag(__VA_ARGS__))
#define pmg_err_as(...)   PMG_NEGATIVE(pmg_err_as(__VA_ARGS__))

/* Exit statuses of our own; everything else is the tool's. pmg(1), "EXIT STATUS". */
#define PMG_EXIT_WITHHELD       1   /* a package was withheld and the tool said 0 */
#define PMG_EXIT_UNAVAILABLE    120 /* this host lacks something that is needed */
#define PMG_EXIT_CONFIG         121 /* command line or configuration is wrong */
#define PMG_EXIT_INTERNAL       125 /* pmg itself failed */
#define PMG_EXIT_NOT_EXECUTABLE 126 /* as shells have it */
#define PMG_EXIT_NOT_FOUND      127

/** Exit status of a pmg program that ends with this code: 120, 121 or 125. */
int pmg_code_exit(enum pmg_code code);

#endif
