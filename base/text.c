#include "text.h"

#include <stdarg.h>
#include <stdio.h>

pl_text pl_text_start(char *buffer, size_t size)
{
    if (buffer == NULL) size = 0;
    if (size > 0) buffer[0] = '\0';
    return (pl_text){buffer, size, 0};
}

void pl_text_add(pl_text *text, const char *format, ...)
{
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room > 0 ? text->buffer + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length > 0) text->length += (size_t)length;
}
