// Text that grows in a caller's buffer, with the contract of snprintf. Internal.

#ifndef PL_TEXT_H
#define PL_TEXT_H

#include "base.h"

typedef struct pl_text {
    char *buffer; // (size), always terminated if size > 0
    size_t size;
    size_t length; // of the whole text, whether it fits or not
} pl_text;

pl_text pl_text_start(char *buffer, size_t size);
void pl_text_add(pl_text *text, const char *format, ...) PL_PRINTF(2, 3);

#endif
