// What the tests of warnings share: a log that keeps what it is told.

#ifndef PL_TESTS_LOGS_H
#define PL_TESTS_LOGS_H

#include "worlds.h"

enum { LOG_LINES = 8, LOG_LINE = 512 };

static char log_line[LOG_LINES][LOG_LINE];
static int log_lines; // warnings so far, kept or not

static inline void keep_line(pl_log_level level, const char *text, void *user)
{
    (void)user;
    if (level != PL_LOG_WARNING) return;
    if (log_lines < LOG_LINES) snprintf(log_line[log_lines], LOG_LINE, "%s", text);
    log_lines++;
}

static inline void keep_log(void)
{
    log_lines = 0;
    pl_set_log(keep_line, NULL);
}

// Exactly one warning, with these parts, since keep_log.
static inline void expect_warning(const char *part, const char *other)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, log_lines, part);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(log_line[0], part), log_line[0]);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(log_line[0], other), log_line[0]);
}

static inline void expect_no_warning(void)
{
    TEST_ASSERT_EQUAL_STRING("", log_lines > 0 ? log_line[0] : "");
}

#endif
