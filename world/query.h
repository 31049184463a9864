// What queries keep of the surfaces of a world. Internal.

#ifndef PL_QUERY_H
#define PL_QUERY_H

// Made for the bodies that a world has, by the first query; a world begins with NULL.
typedef struct pl_queries pl_queries;

void pl_queries_destroy(pl_queries *queries); // NULL is fine

#endif
