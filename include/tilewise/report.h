/* For hosts that make errors of their own out of the compiler's report, and that can end a launch,
 * as Python on Ctrl-C. */
#ifndef TILEWISE_REPORT_H
#define TILEWISE_REPORT_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The errors behind the latest TW_ERROR_KERNEL of this thread piece by piece, each followed by its
 * notes; none where the failure is about no text. A TW_ERROR_LAUNCH has them too where it was the
 * compiler that could not take the arguments. The strings are good until the next call from this
 * thread. */
typedef enum tw_severity { TW_SEVERITY_ERROR = 0, TW_SEVERITY_WARNING = 1, TW_SEVERITY_NOTE = 2 } tw_severity;
/* What an entry says, where a host may want to choose by it; the texts are for people and may
 * change. More codes may come. */
typedef enum tw_message_code {
  TW_MESSAGE_PLAIN = 0,
  /* a note: where the function was called that the error, or the call before, is in */
  TW_MESSAGE_CALL = 1,
  TW_MESSAGE_LIBRARY = 2,          /* a note: where in the standard library it came from */
  TW_MESSAGE_STATIC_ASSERTION = 3, /* tl.static_assert failed */
  TW_MESSAGE_NOT_IN_LANGUAGE = 4,  /* Python that is not part of the kernel language */
  TW_MESSAGE_UNDEFINED_NAME = 5,
  TW_MESSAGE_NOT_YET = 6 /* a name of the language that is not there yet */
} tw_message_code;
typedef struct tw_diagnostic {
  uint32_t severity;     /* a tw_severity */
  uint32_t code;         /* a tw_message_code */
  const char *message;   /* without place and excerpt */
  const char *file;      /* "" when it is about no place */
  uint32_t line, column; /* counted from 1; columns are bytes */
  uint32_t length;       /* bytes of what is meant there, 0 where it is not known */
  uint32_t notes;        /* how many of the entries that follow are its notes */
} tw_diagnostic;
TW_API size_t tw_last_diagnostic_count(void);
TW_API tw_diagnostic tw_last_diagnostic(size_t index); /* all null beyond the last */

/* Asked now and then, on the thread that launched, by launches on a CPU that take long: true ends
 * the launch between two programs, with TW_ERROR_LAUNCH. The default, null, lets every launch run
 * to its end. */
typedef bool (*tw_interrupt_callback)(void *user);
TW_API void tw_set_interrupt_callback(tw_interrupt_callback callback, void *user);

#ifdef __cplusplus
}
#endif

#endif
