#include "xml.h"

#include <stdarg.h>

pl_xml pl_xml_start(const pl_bytes *bytes, const char *name)
{
    pl_xml xml = {.scan = pl_scan_start(bytes, name)};
    xml.tag = xml.scan.p;
    return xml;
}

pl_status pl_xml_fail(const pl_xml *xml, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl_scan place = xml->scan;
    place.p = xml->tag;
    return pl_scan_fail(&place, "%s", sentence);
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static pl_xml_span take_name(pl_scan *scan)
{
    const char *start = scan->p;
    while (is_name_byte(*scan->p) && !pl_scan_at_end(scan)) scan->p++;
    return (pl_xml_span){start, (size_t)(scan->p - start)};
}

static bool span_is(pl_xml_span span, const char *text)
{
    return strlen(text) == span.n && memcmp(span.p, text, span.n) == 0;
}

static bool span_equal(pl_xml_span a, pl_xml_span b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

// --- Character references ---

// Replaces the reference at p ("&amp;", "&#65;", "&#x41;"). Returns its end, NULL if it is none.
// What does not fit into a char becomes '?': no name that anyone looks for holds it.
static const char *take_reference(const char *p, const char *end, char *c)
{
    static const struct {
        const char *text;
        char c;
    } names[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i].text);
        if ((size_t)(end - p) >= n && memcmp(p, names[i].text, n) == 0) {
            *c = names[i].c;
            return p + n;
        }
    }
    if (end - p < 4 || p[1] != '#') return NULL;
    int base = p[2] == 'x' ? 16 : 10;
    const char *digits = p + (base == 16 ? 3 : 2), *q = digits;
    int32_t code = 0;
    for (; q < end; q++) {
        int digit = *q >= '0' && *q <= '9'   ? *q - '0'
                    : *q >= 'a' && *q <= 'f' ? *q - 'a' + 10
                    : *q >= 'A' && *q <= 'F' ? *q - 'A' + 10
                                             : base;
        if (digit >= base) break;
        code = PL_MIN(code * base + digit, 0x110000);
    }
    if (q == digits || q == end || *q != ';' || code == 0 || code == 0x110000) return NULL;
    *c = code < 0x80 ? (char)code : '?';
    return q + 1;
}

// --- Tags ---

static pl_status take_attribute(pl_xml *xml)
{
    pl_scan *scan = &xml->scan;
    pl_xml_span name = take_name(scan);
    if (name.n == 0) return pl_scan_fail(scan, "expected an attribute, \">\" or \"/>\"");
    pl_scan_space(scan);
    if (*scan->p != '=') return pl_scan_fail(scan, "expected = behind the attribute's name");
    scan->p++;
    pl_scan_space(scan);
    char quote = *scan->p;
    if (quote != '"' && quote != '\'') return pl_scan_fail(scan, "expected a value in quotes");
    const char *start = ++scan->p;
    while (*scan->p != quote) {
        char ignored;
        const char *after =
            *scan->p == '&' ? take_reference(scan->p, scan->end, &ignored) : scan->p + 1;
        if (pl_scan_at_end(scan)) return pl_xml_fail(xml, "the file ends inside a tag");
        if (after == NULL) return pl_scan_fail(scan, "unknown character reference");
        if (*scan->p == '<') return pl_scan_fail(scan, "\"<\" in an attribute");
        scan->p = after;
    }
    pl_xml_span value = {start, (size_t)(scan->p - start)};
    scan->p++;
    for (int i = 0; i < xml->n_attributes; i++) {
        if (span_equal(xml->attribute[i].name, name)) {
            return pl_scan_fail(scan, "the attribute %.*s is given twice", (int)PL_MIN(name.n, 64),
                                name.p);
        }
    }
    if (xml->n_attributes == PL_XML_ATTRIBUTES) return pl_scan_fail(scan, "too many attributes");
    xml->attribute[xml->n_attributes].name = name;
    xml->attribute[xml->n_attributes++].value = value;
    return PL_OK;
}

static pl_status take_open(pl_xml *xml)
{
    pl_scan *scan = &xml->scan;
    if (xml->depth == PL_XML_DEPTH) return pl_scan_fail(scan, "elements are nested too deeply");
    if (xml->depth == 0 && xml->rooted) return pl_scan_fail(scan, "a second outermost element");
    pl_xml_span name = take_name(scan);
    if (name.n == 0) return pl_scan_fail(scan, "expected a name behind \"<\"");
    xml->path[xml->depth++] = name;
    xml->rooted = true;
    xml->event = PL_XML_OPEN;
    xml->n_attributes = 0;
    for (;;) {
        const char *before = scan->p;
        pl_scan_space(scan);
        if (pl_scan_at_end(scan)) return pl_xml_fail(xml, "the file ends inside a tag");
        xml->self_closing = scan->p[0] == '/' && scan->p[1] == '>';
        if (xml->self_closing) scan->p++;
        if (*scan->p == '>') {
            scan->p++;
            return PL_OK;
        }
        if (scan->p == before) return pl_scan_fail(scan, "expected white space, \">\" or \"/>\"");
        PL_TRY(take_attribute(xml));
    }
}

static pl_status take_close(pl_xml *xml)
{
    pl_scan *scan = &xml->scan;
    pl_xml_span name = take_name(scan);
    if (xml->depth == 0) return pl_scan_fail(scan, "a closing tag, but nothing is open");
    pl_xml_span open = xml->path[xml->depth - 1];
    if (!span_equal(name, open)) {
        return pl_scan_fail(scan, "</%.*s> where <%.*s> is open", (int)PL_MIN(name.n, 64), name.p,
                            (int)PL_MIN(open.n, 64), open.p);
    }
    pl_scan_space(scan);
    if (*scan->p != '>') return pl_scan_fail(scan, "expected \">\"");
    scan->p++;
    xml->event = PL_XML_CLOSE;
    return PL_OK;
}

// Moves over a comment or the declaration, from its beginning to behind `end`.
static pl_status skip_past(pl_xml *xml, const char *what, const char *end)
{
    pl_scan *scan = &xml->scan;
    const char *found = memmem(scan->p, pl_scan_left(scan), end, strlen(end));
    if (found == NULL) return pl_xml_fail(xml, "%s is not closed", what);
    scan->p = found + strlen(end);
    return PL_OK;
}

// Moves to the next "<".
static pl_status skip_text(pl_xml *xml)
{
    pl_scan *scan = &xml->scan;
    if (xml->depth == 0) {
        pl_scan_space(scan);
        if (!pl_scan_at_end(scan) && *scan->p != '<') {
            return pl_scan_fail(scan, "text outside of any element");
        }
        return PL_OK;
    }
    const char *next = memchr(scan->p, '<', pl_scan_left(scan));
    scan->p = next != NULL ? next : scan->end;
    return PL_OK;
}

pl_status pl_xml_next(pl_xml *xml)
{
    pl_scan *scan = &xml->scan;
    if (xml->event == PL_XML_CLOSE && xml->depth > 0) xml->depth--;
    if (xml->self_closing) {
        xml->self_closing = false;
        xml->event = PL_XML_CLOSE;
        return PL_OK;
    }
    for (;;) {
        PL_TRY(skip_text(xml));
        xml->tag = scan->p;
        if (pl_scan_at_end(scan)) break;
        if (scan->p[1] == '?') {
            PL_TRY(skip_past(xml, "the declaration", "?>"));
        } else if (scan->p[1] == '!') {
            if (scan->p[2] != '-' || scan->p[3] != '-') {
                return pl_scan_fail(scan, "DOCTYPE and CDATA are not supported");
            }
            scan->p += 4;
            PL_TRY(skip_past(xml, "a comment", "-->"));
        } else if (scan->p[1] == '/') {
            scan->p += 2;
            return take_close(xml);
        } else {
            scan->p++;
            return take_open(xml);
        }
    }
    if (xml->depth > 0) {
        pl_xml_span open = xml->path[xml->depth - 1];
        return pl_xml_fail(xml, "the file ends before </%.*s>", (int)PL_MIN(open.n, 64), open.p);
    }
    xml->event = PL_XML_END;
    return PL_OK;
}

// --- Looking ---

bool pl_xml_is(const pl_xml *xml, int up, const char *name)
{
    return xml->depth > up && span_is(xml->path[xml->depth - 1 - up], name);
}

bool pl_xml_attribute(const pl_xml *xml, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < xml->n_attributes; i++) {
        if (!span_is(xml->attribute[i].name, name)) continue;
        const char *p = xml->attribute[i].value.p, *end = p + xml->attribute[i].value.n;
        size_t n = 0;
        while (p < end && n + 1 < size) {
            char c = *p;
            p = c == '&' ? take_reference(p, end, &c) : p + 1;
            text[n++] = c;
        }
        text[n] = '\0';
        return true;
    }
    return false;
}

pl_status pl_xml_count(const pl_xml *xml, const char *name, int64_t *value)
{
    char text[64 + PL_BYTES_PAD] = {0}; // padded, as the parser of numbers wants it
    pl_xml_span element = xml->path[xml->depth - 1];
    if (!pl_xml_attribute(xml, name, text, 64)) {
        return pl_xml_fail(xml, "<%.*s> lacks the attribute %s", (int)PL_MIN(element.n, 64),
                           element.p, name);
    }
    const char *after = pl_parse_int64(text, value);
    if (after == NULL || *after != '\0' || *value < 0) {
        return pl_xml_fail(xml, "%s=\"%s\" is no count", name, text);
    }
    return PL_OK;
}
