#include "csv.h"
#include "../base/number.h"

#include <math.h>

void pl_csv_add_number(pl_text *row, double value)
{
    char text[PL_DOUBLE_TEXT] = "nan";
    if (isfinite(value)) {
        pl_double_text(value, text);
    } else if (!isnan(value)) {
        strcpy(text, value > 0 ? "inf" : "-inf");
    }
    pl_text_add(row, "%s", text);
}
