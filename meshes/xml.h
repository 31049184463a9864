// A pull parser for the part of XML that VTK's files use: tags with attributes, comments, the
// declaration, character references. No CDATA, no DOCTYPE. Internal.

#ifndef PL_XML_H
#define PL_XML_H

#include "../base/scan.h"

enum { PL_XML_DEPTH = 32, PL_XML_ATTRIBUTES = 32 };

typedef enum pl_xml_event {
    PL_XML_OPEN,  // <name ...>
    PL_XML_CLOSE, // </name>, or the end of <name .../>, which makes two events
    PL_XML_END,   // of the file
} pl_xml_event;

typedef struct pl_xml_span {
    const char *p;
    size_t n;
} pl_xml_span;

// All spans point into the file.
typedef struct pl_xml {
    pl_scan scan; // behind the tag of the last event, at the text that follows it
    pl_xml_event event;
    const char *tag;                // where the tag of the last event begins
    pl_xml_span path[PL_XML_DEPTH]; // names of the elements around the cursor, outermost first;
    int depth;                      // at CLOSE, the element that ends is still among them
    int n_attributes;               // of the last OPEN
    struct {
        pl_xml_span name, value;
    } attribute[PL_XML_ATTRIBUTES];
    bool self_closing; // CLOSE comes next, without a tag of its own
    bool rooted;       // the outermost element was seen
} pl_xml;

pl_xml pl_xml_start(const pl_bytes *bytes, const char *name);

// Moves to the next tag, over text and comments. Fails with the line where the file is malformed.
pl_status pl_xml_next(pl_xml *xml);

// Is the last event about an element of this name, or about one `up` levels inside such an element?
bool pl_xml_is(const pl_xml *xml, int up, const char *name);

// The attribute's value with its character references replaced, cut to `size` - 1 bytes. False,
// and an empty text, if there is no such attribute.
bool pl_xml_attribute(const pl_xml *xml, const char *name, char *text, size_t size);

// The attribute as a number that is not negative. Fails if it is anything else, or missing.
pl_status pl_xml_count(const pl_xml *xml, const char *name, int64_t *value);

// A failure in the tag of the last event.
pl_status pl_xml_fail(const pl_xml *xml, const char *format, ...) PL_PRINTF(2, 3);

#endif
