#include "element.h"
#include "../../base/file.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 200 }; // of elements in elements

typedef struct parser {
    const char *p, *end, *name;
    int32_t line;
} parser;

static pl_status fail(const parser *s, const char *sentence)
{
    return pl_fail(PL_ERROR_FORMAT, "%s:%d: %s", s->name, (int)s->line, sentence);
}

static bool starts(const parser *s, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(s->end - s->p) >= n && memcmp(s->p, with, n) == 0;
}

static void skip(parser *s, int64_t n)
{
    for (; n > 0 && s->p < s->end; n--) s->line += *s->p++ == '\n';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(parser *s)
{
    while (s->p < s->end && is_space(*s->p)) skip(s, 1);
}

// Up to and with `mark`.
static pl_status skip_past(parser *s, const char *mark)
{
    while (s->p < s->end && !starts(s, mark)) skip(s, 1);
    if (s->p == s->end) return fail(s, "the file ends too early");
    skip(s, (int64_t)strlen(mark));
    return PL_OK;
}

static pl_status copy_text(const char *from, const char *to, char **out)
{
    *out = pl_alloc_zero(to - from + 1, 1);
    if (*out == NULL) return PL_ERROR_MEMORY;
    memcpy(*out, from, (size_t)(to - from));
    return PL_OK;
}

// In place; what is replaced only gets shorter.
static void replace_entities(char *text)
{
    static const struct {
        const char *entity;
        char c;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        size_t k = 0, n = sizeof known / sizeof known[0];
        while (k < n && strncmp(from, known[k].entity, strlen(known[k].entity)) != 0) k++;
        *to++ = k < n ? known[k].c : *from;
        from += k < n ? strlen(known[k].entity) : 1;
    }
    *to = '\0';
}

static pl_status read_word(parser *s, char **out)
{
    const char *from = s->p;
    while (s->p < s->end && !is_space(*s->p) && strchr("=<>/\"'", *s->p) == NULL) skip(s, 1);
    if (s->p == from) return fail(s, "a name expected");
    return copy_text(from, s->p, out);
}

static pl_status read_attribute(parser *s, pl_element *element)
{
    PL_TRY(pl_reserve((void **)&element->attribute, &element->attribute_capacity,
                      element->n_attribute + 1, sizeof *element->attribute));
    pl_element_attribute *a = &element->attribute[element->n_attribute++];
    *a = (pl_element_attribute){0};
    PL_TRY(read_word(s, &a->name));
    skip_space(s);
    if (s->p == s->end || *s->p != '=') return fail(s, "= expected after an attribute");
    skip(s, 1);
    skip_space(s);
    if (s->p == s->end || (*s->p != '"' && *s->p != '\'')) {
        return fail(s, "a value in quotation marks expected");
    }
    const char mark[2] = {*s->p, '\0'}, *from = s->p + 1;
    skip(s, 1);
    PL_TRY(skip_past(s, mark));
    PL_TRY(copy_text(from, s->p - 1, &a->value));
    replace_entities(a->value);
    return PL_OK;
}

// From after < to after >; *closed tells that it has nothing inside.
static pl_status read_tag(parser *s, pl_element *element, bool *closed)
{
    element->line = s->line;
    PL_TRY(read_word(s, &element->name));
    for (;;) {
        skip_space(s);
        if (s->p == s->end) return fail(s, "the file ends in a tag");
        *closed = starts(s, "/>");
        if (*closed || *s->p == '>') {
            skip(s, *closed ? 2 : 1);
            return PL_OK;
        }
        PL_TRY(read_attribute(s, element));
    }
}

static pl_status read_end_tag(parser *s, pl_element **at)
{
    char *name;
    skip(s, 2);
    PL_TRY(read_word(s, &name));
    bool same = strcmp(name, (*at)->name) == 0;
    pl_free(name);
    if (!same) return fail(s, "this tag ends another element than the last that was begun");
    *at = (*at)->parent;
    return skip_past(s, ">");
}

static pl_status begin_element(parser *s, pl_element **at, int32_t *depth, pl_element **root)
{
    bool closed = false;
    pl_element *element = pl_alloc_zero(1, sizeof *element);
    if (element == NULL) return PL_ERROR_MEMORY;
    element->parent = *at;
    if (*at == NULL) {
        *root = element;
    } else {
        if ((*at)->last != NULL) (*at)->last->next = element;
        if ((*at)->child == NULL) (*at)->child = element;
        (*at)->last = element;
    }
    skip(s, 1);
    PL_TRY(read_tag(s, element, &closed));
    if (closed) return PL_OK;
    *at = element;
    return ++*depth <= DEPTH ? PL_OK : fail(s, "too many elements in each other");
}

static pl_status parse(parser *s, pl_element **root)
{
    pl_element *at = NULL;
    int32_t depth = 0;
    while (s->p < s->end) {
        if (starts(s, "<!--")) {
            PL_TRY(skip_past(s, "-->"));
        } else if (starts(s, "<![CDATA[")) {
            PL_TRY(skip_past(s, "]]>"));
        } else if (starts(s, "<?") || starts(s, "<!")) {
            PL_TRY(skip_past(s, ">"));
        } else if (starts(s, "</")) {
            if (at == NULL) return fail(s, "there is no element to end");
            PL_TRY(read_end_tag(s, &at));
            depth--;
        } else if (*s->p == '<') {
            if (at == NULL && *root != NULL) return fail(s, "a second root element");
            PL_TRY(begin_element(s, &at, &depth, root));
        } else {
            skip(s, 1);
        }
    }
    if (at != NULL) return fail(s, "the file ends within an element");
    return *root != NULL ? PL_OK : fail(s, "no element");
}

pl_status pl_element_parse(const char *text, size_t size, const char *name, pl_element **out)
{
    parser s = {.p = text, .end = text + size, .name = name, .line = 1};
    *out = NULL;
    pl_status status = parse(&s, out);
    if (status == PL_OK) return PL_OK;
    pl_element_free(*out);
    *out = NULL;
    return status;
}

pl_status pl_element_load(const char *path, pl_element **out)
{
    pl_bytes bytes;
    *out = NULL;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = pl_element_parse(bytes.data, bytes.size, path, out);
    pl_bytes_free(&bytes);
    return status;
}

void pl_element_free(pl_element *root)
{
    if (root == NULL) return;
    for (pl_element *child = root->child, *next; child != NULL; child = next) {
        next = child->next;
        pl_element_free(child);
    }
    for (int32_t i = 0; i < root->n_attribute; i++) {
        pl_free(root->attribute[i].name);
        pl_free(root->attribute[i].value);
    }
    pl_free(root->attribute);
    pl_free(root->name);
    pl_free(root);
}

static const pl_element *named(const pl_element *at, const char *name)
{
    while (at != NULL && strcmp(at->name, name) != 0) at = at->next;
    return at;
}

const pl_element *pl_element_find(const pl_element *at, const char *name)
{
    return at != NULL ? named(at->child, name) : NULL;
}

const pl_element *pl_element_next(const pl_element *at, const char *name)
{
    return named(at->next, name);
}

const char *pl_element_get(const pl_element *at, const char *attribute)
{
    for (int32_t i = 0; at != NULL && i < at->n_attribute; i++) {
        if (strcmp(at->attribute[i].name, attribute) == 0) return at->attribute[i].value;
    }
    return NULL;
}
