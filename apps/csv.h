// Tables as comma-separated values.

#ifndef PL_CSV_H
#define PL_CSV_H

#include "../base/text.h"

// The shortest text that reads back as the same double; nan, inf or -inf.
void pl_csv_add_number(pl_text *row, double value);

#endif
