/* The compiled recorder: what the Python parts beside it do, at a tenth of the time and with nothing guessed.

   Dicts (namespaces, attributes of objects, plain dicts) tell each write themselves, by a dict watcher; lists, sets,
   deques and slots are compared by the pointers of their items, all of them at each moment as long as that takes about a
   microsecond, else in turns: then the span of moments between two looks is told with a change. Nothing is kept alive
   but numbers and texts, which the Python parts keep as well.

   Which pointers are borrowed, and when they may be followed

   All addresses of the program's objects in the tables here are borrowed, and none is followed because it stands in a
   table: the object may be gone, and the interpreter does not tell each end (not of an object that its __del__ has shown
   once more, and not of those that wait in the trashcan). An object is touched only

   1. where the program itself has just given it: an argument of an event, a frame on the stack of the thread that runs,
      an item that was read from an object which may be touched;
   2. as a dict that is watched: its end is told always (PyDict_EVENT_DEALLOCATED), and at count 0 it is left alone;
   3. where is_held() says so: that climbs from the object to a root, which is a live call's variable or a watched dict,
      and reads, from there down, that each place holds the next one now.

   A call is live from an event of its own until it returns, yields or is unwound; only then its frame may be read.
   What one of these three allows holds for one stretch: C code that gives up no GIL. A call into Python ends the
   stretch, as do the end of an object of the program (its finalizer runs) and waiting for the core; memory, strings of
   numbers and Py_INCREF do not. Who goes on behind the end of a stretch takes a reference before, and gives it back in
   the same look: no reference outlives a look. The records of ours stay of their type for ever (a pool), and have a
   number that no other one ever has, so that a pointer to one with its number is verified likewise.

   Whether what stands at an address is another object than before is told by PyRefTracer: as one ends, and, for what was
   not told, as the next one begins there. 3.12 and 3.13 have none, or one that misses ends: there the Python parts record.
   Where the program takes it away later, it is the same object as long as a place that is known has held it all the time.
   Nothing that is touched depends on that.

   It is built once, for the stable ABI from 3.12 on. What that lacks is looked up by name, and the layout of frames,
   lists, sets and deques is tried out at the start: where anything is not as expected, begin() says so, and the Python
   parts record. Errors never leave: what failed is counted, told as ["?"], and looked at again at the next moment. */

#define Py_LIMITED_API 0x030c0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if PY_VERSION_HEX < 0x030c0000 /* the headers of 3.11: they lack these, and count references by themselves */
PyObject *PyErr_GetRaisedException(void);
void PyErr_SetRaisedException(PyObject *);
#undef Py_INCREF
#undef Py_DECREF
#undef Py_XDECREF
#define Py_INCREF(op) Py_IncRef((PyObject *)(op))
#define Py_DECREF(op) Py_DecRef((PyObject *)(op))
#define Py_XDECREF(op) Py_DecRef((PyObject *)(op))
#endif

typedef uint64_t u64;

enum { LINE, CALL, RETURN, YIELD, RAISE, UNWIND, RESUME };
enum { PARENT, LENGTH, ALL, RETURNED, RAISED, SPAN };
enum { K_LEAF, K_TEXT, K_OPAQUE, K_LIST, K_TUPLE, K_DICT, K_ORDERED, K_SET, K_FROZEN, K_DEQUE, K_NUMBERS, K_OBJECT, K_ERROR, K_SPACE };

#define INDEX ((u64)1 << 32)
#define LEAF 0
#define BAD (~(u64)0)
#define UNTOLD (~(u64)1)
#define CUT (~(u64)2)
#define MOST_ITEMS 200
#define LONGEST 200
#define MOST_KNOWN 200000
#define MOST_NEW 2000
#define SEGMENT 16384
#define MOST_CHANGES (8 * SEGMENT)
#define UNITS 1200 /* how much is compared at each moment: about a microsecond */
#define MOST_KEYS 100000

/* Tables */

/* Python 3.11 has no names for these in its limited API. */
typedef int (*TakeBuffer)(PyObject *, Py_buffer *, int);
typedef void (*GiveBuffer)(PyObject *, Py_buffer *);

typedef struct { void **k, **v; size_t mask, used, fill; } Map;
typedef struct { char *p; size_t n, cap; } Buf;
typedef struct { u64 *p; size_t n, cap; } Col;

static size_t slot_of(const Map *m, const void *k)
{
    return (size_t)((((uintptr_t)k >> 4) * 0x9E3779B97F4A7C15ull) >> 20) & m->mask;
}

static void *map_get(const Map *m, const void *k)
{
    if (!m->used) return NULL;
    for (size_t i = slot_of(m, k); m->k[i]; i = (i + 1) & m->mask)
        if (m->k[i] == k) return m->v[i];
    return NULL;
}

static void map_set(Map *m, void *k, void *v)
{
    if (!m->k || m->fill * 2 >= m->mask) {
        Map other = {0};
        size_t size = 64;
        while (size < m->used * 4) size *= 2;
        other.mask = size - 1;
        other.k = calloc(size, sizeof(void *));
        other.v = calloc(size, sizeof(void *));
        for (size_t i = 0; m->k && i <= m->mask; i++) {
            if (m->k[i] && m->k[i] != (void *)1) {
                size_t j = slot_of(&other, m->k[i]);
                while (other.k[j]) j = (j + 1) & other.mask;
                other.k[j] = m->k[i];
                other.v[j] = m->v[i];
                other.used++;
            }
        }
        other.fill = other.used;
        free(m->k);
        free(m->v);
        *m = other;
    }
    size_t i = slot_of(m, k);
    for (; m->k[i]; i = (i + 1) & m->mask)
        if (m->k[i] == k) {
            m->v[i] = v;
            return;
        }
    m->k[i] = k;
    m->v[i] = v;
    m->used++;
    m->fill++;
}

static void *map_pop(Map *m, const void *k)
{
    if (!m->used) return NULL;
    for (size_t i = slot_of(m, k); m->k[i]; i = (i + 1) & m->mask)
        if (m->k[i] == k) {
            void *v = m->v[i];
            m->k[i] = (void *)1;
            m->v[i] = NULL;
            m->used--;
            return v;
        }
    return NULL;
}

static void map_clear(Map *m)
{
    free(m->k);
    free(m->v);
    memset(m, 0, sizeof *m);
}

static void put(Buf *b, const char *text, size_t n)
{
    if (b->n + n > b->cap) {
        b->cap = (b->n + n) * 2 + 256;
        b->p = realloc(b->p, b->cap);
    }
    memcpy(b->p + b->n, text, n);
    b->n += n;
}

static void puts_(Buf *b, const char *text) { put(b, text, strlen(text)); }

static void put_number(Buf *b, long long value)
{
    char text[24], *p = text + sizeof text;
    unsigned long long rest = value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value;
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0) *--p = '-';
    put(b, p, (size_t)(text + sizeof text - p));
}

static void col_push(Col *c, u64 value)
{
    if (c->n == c->cap) {
        c->cap = c->cap * 2 + 256;
        c->p = realloc(c->p, c->cap * sizeof(u64));
    }
    c->p[c->n++] = value;
}

/* What is known */

typedef struct Kind {
    PyObject *type; /* a weak reference to it */
    int look, has_dict, n_members;
    char *row, *opaque;
    u64 *member_keys, content_key; /* 0 where its values are no plain texts or numbers */
    Py_ssize_t *member_offsets;
    TakeBuffer take_buffer; /* those of a bytearray, an array or a memoryview: no class below them is asked */
    GiveBuffer give_buffer;
    ssizeargfunc item_at;
} Kind;

/* One place that has held an object as it was last looked at. */
enum { H_NONE, H_LOCAL, H_ITEM, H_ATTR, H_SLOT, H_KEY, H_CELL };
#define MOST_HOLDS 4

typedef struct {
    void *who; /* a Rec for H_LOCAL, else a Known */
    u64 number;
    int at;
    char what;
} Hold;

typedef struct {
    Py_ssize_t n, cap, inner; /* inner: how many can change */
    PyObject **ptr, **kptr;
    u64 *num, *key, checked;
    struct Known *of; /* whose, and what its places are called */
    char what;
} Snap;

typedef struct Known {
    PyObject *ptr, *dict; /* both borrowed; a dict that ends is taken from here at once */
    Kind *kind;
    char *text;
    u64 number, seen;
    u64 held_at, climb, left_at, passed;
    Py_ssize_t size;
    Snap items, attrs, slots;
    Hold holds[MOST_HOLDS];
    char *raw; /* of plain items: the bytes of those that are told */
    Py_ssize_t n_raw;
    struct Known *same_dict;
    int reg;
    char look, is_dirty, is_dead, is_queued, is_lost, is_stale, is_revived;
} Known;

typedef struct {
    int form; /* 0: variables of its own, 1: a module, 2: the body of a class */
    int n, has_cells, is_generator;
    long number;
    u64 *keys;
    char *is_cell;
    PyObject *hidden; /* in the body of a class, the variables of comprehensions */
} Info;

typedef struct Thr {
    u64 id, ident, full;
    long number;
    int busy;
    Col times, wheres, whens, owners, keys;
    Buf values, frames, objects;
} Thr;

typedef struct {
    PyObject *frame, *code; /* borrowed: the frame is read while is_live, the code never */
    Info *info;
    Thr *thr;
    u64 number, owner, checked;
    int line, celled;
    PyObject **ptr;
    u64 *num;
    Snap names; /* of the body of a class */
    char is_live, is_dead, is_resumed, has_begun; /* has_begun: one of its lines was a moment */
} Rec;

static Map KNOWN, KINDS, WATCHED, RECS, INFOS, THREADS, NAMES, KEYS, STARTED, SPACES;
static Known **REG, **DIRTY, **QUEUE, **GRAVES, **LATER, **LOST, **POOL;
static Rec **REC_GRAVES, **REC_POOL;
static size_t n_reg, cap_reg, n_dirty, cap_dirty, n_queue, cap_queue, n_graves, cap_graves, n_later, cap_later, at_reg;
static size_t n_lost, cap_lost, n_pool, cap_pool, n_rec_graves, cap_rec_graves, n_rec_pool, cap_rec_pool;
static Rec **CELLED;
static size_t n_celled, cap_celled;
static u64 now_, numbers, deaths = 1, failed_, when_, stretch = 1, climbs, next_search, most_known;
static int has_tracer, forget_later; /* bits: something is to be forgotten, all, anew */
static PyInterpreterState *interpreter;
static PyThreadState *last_state;
static int is_on, core_busy, met, unfinished, watcher = -1, has_watcher, inline_trick;
static size_t off_locals;
static Thr *cur, *last_thr;
static u64 last_id;
static PyTypeObject *code_type, *frame_type, *function_type, *builtin_type, *cell_type;

static struct {
    PyObject *kind, *text, *leaf, *number_of, *key_number, *info, *is_own, *space, *meet_thread, *seal, *start, *failure,
        *disable, *ordered, *arguments, *content;
} py;

static int (*dict_add_watcher)(int (*)(int, PyObject *, PyObject *, PyObject *));
static int (*dict_watch)(int, PyObject *);
static int (*dict_unwatch)(int, PyObject *);
static int (*dict_clear_watcher)(int);
static int (*set_tracer)(int (*)(PyObject *, int, void *), void *);
static void *(*get_tracer)(void **);
static PyObject *(*closure_of)(PyObject *);
static PyObject *(*frame_back)(PyObject *);
static PyObject *(*frame_globals)(PyObject *);
static PyObject *(*frame_locals)(PyObject *);

#define PUSH(list, n, cap, x)                                      \
    do {                                                           \
        if (n == cap) {                                            \
            cap = cap * 2 + 64;                                    \
            list = realloc(list, cap * sizeof *list);              \
        }                                                          \
        list[n++] = x;                                             \
    } while (0)

/* All calls into Python go by here: other code may run in them, and other threads. */
#define ASK(...) (stretch++, PyObject_CallFunctionObjArgs(__VA_ARGS__, NULL))

/* Give back a reference to an object of the program: it may be the last one, then its finalizer runs. */
static void give_back(PyObject *v)
{
    stretch++;
    Py_DECREF(v);
    stretch++;
}

/* The count of references: 0 while an object waits for its end, in the trashcan or as its parts end. */
#define COUNT(op) (*(uint32_t *)(op))

static PyObject *theirs; /* an error of the program that came while the Python parts ran: of a signal's handler */

static void note_failure(void)
{
    PyObject *error = PyErr_GetRaisedException();
    int is_theirs = 0;
    failed_++;
    unfinished = 1;
    if (!error) return;
    if (!PyErr_GivenExceptionMatches(error, PyExc_Exception))
        is_theirs = 1;
    else if (!PyErr_GivenExceptionMatches(error, PyExc_RecursionError) && !PyErr_GivenExceptionMatches(error, PyExc_MemoryError)) {
        PyObject *done = ASK(py.failure, error);
        is_theirs = done == Py_True;
        Py_XDECREF(done);
        PyErr_Clear();
    }
    if (is_theirs && !theirs)
        theirs = error;
    else
        Py_DECREF(error);
}

static void free_snap(Snap *s)
{
    Known *of = s->of;
    char what = s->what;
    for (Py_ssize_t i = 0; i < s->n; i++) {
        if (s->num[i] == LEAF) Py_XDECREF(s->ptr[i]);
    }
    free(s->ptr);
    free(s->num);
    free(s->key);
    free(s->kptr);
    memset(s, 0, sizeof *s);
    s->of = of;
    s->what = what;
}

static Known *new_known(PyObject *v, Kind *kind, int look)
{
    Known *k = n_pool ? POOL[--n_pool] : malloc(sizeof *k);
    memset(k, 0, sizeof *k);
    k->ptr = v;
    k->kind = kind;
    k->look = (char)look;
    k->size = -1;
    k->reg = -1;
    k->items.of = k->attrs.of = k->slots.of = k;
    k->items.what = H_ITEM;
    k->attrs.what = H_ATTR;
    k->slots.what = H_SLOT;
    return k;
}

static void free_known(Known *k)
{
    free_snap(&k->items);
    free_snap(&k->attrs);
    free_snap(&k->slots);
    free(k->text);
    free(k->raw);
    k->text = k->raw = NULL;
    k->number = 0;
    k->is_dead = 1;
    PUSH(POOL, n_pool, cap_pool, k);
}

static void unregister(Known *k)
{
    if (k->reg < 0) return;
    REG[k->reg] = REG[--n_reg];
    REG[k->reg]->reg = k->reg;
    k->reg = -1;
}

static void forget_dict(Known *k)
{
    if (!k->dict) return;
    Known *first = map_get(&WATCHED, k->dict);
    if (first == k) {
        if (k->same_dict)
            map_set(&WATCHED, k->dict, k->same_dict);
        else
            map_pop(&WATCHED, k->dict);
    }
    else
        for (; first; first = first->same_dict)
            if (first->same_dict == k) first->same_dict = k->same_dict;
    k->same_dict = NULL;
    k->dict = NULL;
}

static void end_known(Known *k)
{
    deaths++;
    stretch++;
    if (k->is_dead) return;
    k->is_dead = 1;
    unregister(k);
    forget_dict(k);
    if (core_busy || k->is_dirty || k->is_queued || k->is_lost)
        PUSH(GRAVES, n_graves, cap_graves, k);
    else
        free_known(k);
}

static void free_rec(Rec *r)
{
    for (int i = 0; i < r->info->n; i++)
        if (r->num[i] == LEAF) Py_XDECREF(r->ptr[i]);
    free_snap(&r->names);
    free(r->ptr);
    free(r->num);
    r->ptr = NULL;
    r->num = NULL;
    r->number = 0;
    PUSH(REC_POOL, n_rec_pool, cap_rec_pool, r);
}

static void end_rec(Rec *r)
{
    if (r->is_dead) return;
    r->is_dead = 1;
    r->is_live = 0;
    stretch++;
    if (map_get(&RECS, r->frame) == r) map_pop(&RECS, r->frame);
    if (r->celled >= 0) {
        CELLED[r->celled] = CELLED[--n_celled];
        CELLED[r->celled]->celled = r->celled;
        r->celled = -1;
    }
    if (core_busy) /* somebody may be in the midst of it */
        PUSH(REC_GRAVES, n_rec_graves, cap_rec_graves, r);
    else
        free_rec(r);
}

static void bury(void)
{
    while (n_graves) free_known(GRAVES[--n_graves]);
    while (n_rec_graves) free_rec(REC_GRAVES[--n_rec_graves]);
}

static int is_ours(void)
{
    PyThreadState *state = PyThreadState_Get();
    if (state == last_state) return 1;
    if (PyThreadState_GetInterpreter(state) != interpreter) return 0;
    last_state = state;
    return 1;
}

/* An object begins (0) or ends (1). One that has a finalizer may be seen by that, and go on; if it does end, that is
   told no more, but then another one begins at its address. */
static int on_object(PyObject *op, int event, void *data)
{
    if (event > 1) { /* 3.15: another tracer takes the place of this one, or none; there is no object */
        has_tracer = 0;
        return 0;
    }
    PyTypeObject *type = Py_TYPE(op);
    if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyUnicode_Type) return 0;
    if (!is_ours()) return 0; /* it is of an interpreter beside, which has a GIL of its own */
    Known *k = map_get(&KNOWN, op);
    if (k) {
        int is_kept = event == 1 && (PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC) && PyType_GetSlot(type, Py_tp_finalize) &&
            !PyObject_GC_IsFinalized(op);
        stretch++;
        if (!is_kept) {
            map_pop(&KNOWN, op);
            end_known(k);
        }
    }
    if (type == frame_type) {
        Rec *r = map_get(&RECS, op);
        if (r) end_rec(r);
    }
    else if (type == code_type) {
        map_pop(&INFOS, op);
        map_pop(&STARTED, op);
    }
    else if (PyType_Check(op))
        map_pop(&KINDS, op);
    return 0;
}

static void mark(Known *k)
{
    if (k->is_dirty || k->is_dead) return;
    k->is_dirty = 1;
    PUSH(DIRTY, n_dirty, cap_dirty, k);
}

static int on_dict(int event, PyObject *dict, PyObject *key, PyObject *value)
{
    Known *k = map_get(&WATCHED, dict);
    if (!k) return 0;
    stretch++;
    for (Known *each = k; each; each = each->same_dict) mark(each);
    if (event == 5) { /* PyDict_EVENT_DEALLOCATED */
        map_pop(&WATCHED, dict);
        while (k) {
            Known *next = k->same_dict;
            k->dict = NULL;
            k->same_dict = NULL;
            if (k->look == K_SPACE) {
                map_pop(&SPACES, dict);
                end_known(k);
            }
            else if (k->ptr == dict) {
                if (map_get(&KNOWN, dict) == k) map_pop(&KNOWN, dict);
                end_known(k);
            }
            k = next;
        }
    }
    return 0;
}

static void watch(Known *k, PyObject *dict)
{
    if (dict_watch(watcher, dict) < 0) {
        PyErr_Clear();
        return;
    }
    k->dict = dict;
    k->same_dict = map_get(&WATCHED, dict);
    map_set(&WATCHED, dict, k);
    /* Where somebody else has an object's dict as well, it does not end as the object is given another one: so that is
       looked for at each moment. */
    if (k->same_dict)
        for (; k; k = k->same_dict)
            if (k->look >= K_OBJECT && k->look != K_SPACE && k->reg < 0) {
                k->reg = (int)n_reg;
                PUSH(REG, n_reg, cap_reg, k);
            }
}

/* Tokens */

static u64 token(Buf *b, PyObject *v);
static int is_same(Known *k);

static void put_result(Buf *b, PyObject *bytes)
{
    char *p;
    Py_ssize_t n;
    if (bytes && PyBytes_AsStringAndSize(bytes, &p, &n) == 0) {
        put(b, p, (size_t)n);
        Py_DECREF(bytes);
        return;
    }
    Py_XDECREF(bytes);
    note_failure();
    puts_(b, "[\"?\"]");
}

static void put_leaf(Buf *b, PyObject *v) { put_result(b, ASK(py.leaf, v)); }

static void put_text(Buf *b, PyObject *v)
{
    Py_ssize_t n, length = PyUnicode_GetLength(v);
    if (length > LONGEST) {
        put_leaf(b, v);
        return;
    }
    const char *p = PyUnicode_AsUTF8AndSize(v, &n);
    if (!p || n != length) {
        PyErr_Clear();
        put_leaf(b, v);
        return;
    }
    char text[6 * LONGEST + 2], *t = text;
    *t++ = '"';
    for (; n; n--, p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\') {
            *t++ = '\\';
            *t++ = (char)c;
        }
        else if (c < 32 || c == 127)
            t += sprintf(t, "\\u%04x", c);
        else
            *t++ = (char)c;
    }
    *t++ = '"';
    put(b, text, (size_t)(t - text));
}

static int is_leaf_type(PyTypeObject *t)
{
    if (t == &PyLong_Type || t == &PyUnicode_Type || t == &PyFloat_Type || t == &PyBool_Type || t == &PyBytes_Type) return 1;
    if (t == Py_TYPE(Py_None) || t == &PyComplex_Type || t == &PyRange_Type) return 1;
    return t == Py_TYPE(Py_Ellipsis) || t == Py_TYPE(Py_NotImplemented);
}

static int is_simple(PyObject *tuple)
{
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n > 16) return 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!is_leaf_type(Py_TYPE(PyTuple_GetItem(tuple, i)))) return 0;
    return 1;
}

#define REFERRED(reference) (*(PyObject **)((char *)(reference) + 16))

static Kind *kind_of(PyTypeObject *type)
{
    Kind *kind = map_get(&KINDS, type);
    if (kind && REFERRED(kind->type) == (PyObject *)type) return kind;
    PyObject *about = ASK(py.kind, (PyObject *)type);
    const char *row, *opaque;
    int look, has_dict;
    u64 content_key;
    PyObject *members, *base;
    if (!about || !PyArg_ParseTuple(about, "ipyyOOK", &look, &has_dict, &row, &opaque, &members, &base, &content_key)) {
        Py_XDECREF(about);
        note_failure();
        return NULL;
    }
    PyObject *reference = PyWeakref_NewRef((PyObject *)type, NULL);
    if (!reference) {
        Py_DECREF(about);
        note_failure();
        return NULL;
    }
    kind = calloc(1, sizeof *kind); /* it stays, as what is known of its objects names it */
    kind->type = reference;
    kind->look = look;
    kind->has_dict = has_dict;
    kind->content_key = content_key;
    if (look == K_NUMBERS) {
        kind->take_buffer = PyType_GetSlot((PyTypeObject *)base, Py_bf_getbuffer);
        kind->give_buffer = PyType_GetSlot((PyTypeObject *)base, Py_bf_releasebuffer);
        kind->item_at = PyType_GetSlot((PyTypeObject *)base, Py_sq_item);
    }
    kind->row = strdup(row);
    kind->opaque = strdup(opaque);
    int n = (int)PyTuple_Size(members);
    kind->member_keys = calloc((size_t)n + 1, sizeof(u64));
    kind->member_offsets = calloc((size_t)n + 1, sizeof(Py_ssize_t));
    for (int i = 0; i < n; i++) {
        u64 key;
        PyObject *descriptor;
        if (!PyArg_ParseTuple(PyTuple_GetItem(members, i), "KO", &key, &descriptor)) {
            note_failure();
            continue;
        }
        char *definition = *(char **)((char *)descriptor + 40);
        int type = *(int *)(definition + 8);
        if (type != 6 && type != 16) continue; /* Py_T_OBJECT_EX and the older _Py_T_OBJECT */
        kind->member_keys[kind->n_members] = key;
        kind->member_offsets[kind->n_members++] = *(Py_ssize_t *)(definition + 16);
    }
    Py_DECREF(about);
    map_set(&KINDS, type, kind);
    return kind;
}

/* Its content is looked at in this look, and what is there of it to be compared again; until then it is kept. */
static void enqueue(Known *k, PyObject *v)
{
    int look = k->look;
    k->is_revived = k->is_lost || k->is_stale;
    k->is_lost = k->is_stale = 0;
    if (k->reg < 0 && (look == K_LIST || look == K_SET || look == K_DEQUE || look == K_NUMBERS || look == K_ORDERED || look == K_ERROR ||
            k->kind->n_members || (look == K_DICT && !k->dict) || (k->kind->has_dict && look != K_DICT && !has_watcher))) {
        k->reg = (int)n_reg;
        PUSH(REG, n_reg, cap_reg, k);
    }
    if (k->is_queued) return;
    k->is_queued = 1;
    Py_INCREF(v);
    PUSH(QUEUE, n_queue, cap_queue, k);
}

static Known *meet(PyObject *v, Kind *kind)
{
    Known *old = map_pop(&KNOWN, v);
    if (old) end_known(old);
    Known *k = new_known(v, kind, kind->look);
    k->number = ++numbers;
    map_set(&KNOWN, v, k);
    met++;
    if (kind->look == K_OPAQUE) {
        Buf b = {0};
        puts_(&b, kind->opaque);
        put_number(&b, (long long)k->number);
        put(&b, "]", 2);
        k->text = b.p;
        return k;
    }
    if (kind->look == K_TEXT) {
        Buf b = {0};
        put_result(&b, ASK(py.text, v));
        put(&b, "", 1);
        k->text = b.p;
        return k;
    }
    Buf *o = &cur->objects;
    puts_(o, o->n ? ", [" : "[");
    put_number(o, (long long)k->number);
    puts_(o, kind->row);
    int look = kind->look;
    if (look == K_DICT || look == K_ORDERED) {
        if (kind->has_dict == 0 || PyDict_CheckExact(v)) watch(k, v);
    }
    enqueue(k, v);
    return k;
}

/* An iterator may give the same tuple once more, with other items in it, where nobody else has it. */
static int is_reused(Known *k, PyObject *v)
{
    Py_ssize_t n = k->items.n;
    if (PyTuple_Size(v) != k->size) return 1;
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyTuple_GetItem(v, i) != k->items.ptr[i]) return 1;
    return 0;
}

static Snap *snap_of(Known *k, int what)
{
    return what == H_ATTR ? &k->attrs : what == H_SLOT ? &k->slots : &k->items;
}

static PyObject *noted_at(Hold *h)
{
    Rec *r = h->who;
    if (h->what == H_LOCAL) return r->number == h->number && !r->is_dead && h->at < r->info->n ? r->ptr[h->at] : NULL;
    Known *k = h->who;
    if (k->number != h->number || k->is_dead) return NULL;
    if (h->what == H_CELL) return NULL;
    Snap *s = snap_of(k, h->what);
    if (h->at >= s->n) return NULL;
    return h->what == H_KEY ? s->kptr[h->at] : s->ptr[h->at];
}

/* Where no ends are told: whether it is still the object that was known, as a place has held it all the time. */
static int is_same(Known *k)
{
    if (has_tracer || k->dict || k->is_queued || k->left_at == when_ || (k->passed && k->passed + 1 >= when_)) return 1;
    for (int i = 0; i < MOST_HOLDS && k->holds[i].what; i++)
        if (noted_at(&k->holds[i]) == k->ptr) return 1;
    return 0;
}

/* Places */

static void drop_hold(Known *k, int i)
{
    for (; i < MOST_HOLDS - 1; i++) k->holds[i] = k->holds[i + 1];
    k->holds[MOST_HOLDS - 1].what = H_NONE;
}

/* A variable of a call that has ended or waits shows nothing until that goes on (3); other variables of calls (2). */
static int how_fleeting(const Hold *h)
{
    if (h->what == H_LOCAL) {
        const Rec *r = h->who;
        return r->number != h->number || r->is_dead || !r->is_live ? 3 : 2;
    }
    const Known *k = h->who;
    return k->number != h->number || k->is_dead ? 3 : k->look != K_SPACE;
}

/* ``v``, whose number is ``num``, stands at a place now. */
static void note_place(PyObject *v, u64 num, int what, void *who, u64 number, Py_ssize_t at)
{
    Known *k = map_get(&KNOWN, v);
    if (!k || k->number != num) return;
    int i = 0;
    for (; i < MOST_HOLDS && k->holds[i].what; i++) {
        Hold *h = &k->holds[i];
        if (h->what == what && h->who == who && h->number == number && h->at == (int)at) return;
    }
    if (i == MOST_HOLDS) { /* those that last are kept: variables of calls are the first to go, of modules none */
        int worst = MOST_HOLDS, least = 0;
        while (i--) {
            int weight = how_fleeting(&k->holds[i]);
            if (weight > least) {
                least = weight;
                worst = i;
            }
        }
        if (worst == MOST_HOLDS || (what == H_LOCAL && least < 3)) return;
        i = worst;
    }
    Hold made = {who, number, (int)at, (char)what};
    k->holds[i] = made;
}

/* Something else stands there now. */
static void leave_place(PyObject *v, u64 num, int what, void *who, Py_ssize_t at)
{
    Known *k = map_get(&KNOWN, v);
    if (!k || k->number != num) return;
    k->left_at = when_;
    for (int i = 0; i < MOST_HOLDS && k->holds[i].what; i++)
        if (k->holds[i].what == what && k->holds[i].who == who && k->holds[i].at == (int)at) {
            drop_hold(k, i);
            return;
        }
}

/* Write what is recorded for a value: its number, or LEAF where it can't change. */
static u64 token(Buf *b, PyObject *v)
{
    PyTypeObject *type = Py_TYPE(v);
    if (type == &PyLong_Type) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(v, &overflow);
        if (overflow)
            put_leaf(b, v);
        else
            put_number(b, number);
        return LEAF;
    }
    if (type == &PyUnicode_Type) {
        put_text(b, v);
        return LEAF;
    }
    if (v == Py_None) {
        puts_(b, "null");
        return LEAF;
    }
    if (type == &PyFloat_Type) {
        double number = PyFloat_AsDouble(v);
        if (number != number || number - number != 0) {
            puts_(b, number != number ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
            return LEAF;
        }
        char *text = PyOS_double_to_string(number, 'r', 0, 2, NULL);
        if (text) {
            puts_(b, text);
            PyMem_Free(text);
        }
        else
            note_failure(), puts_(b, "[\"?\"]");
        return LEAF;
    }
    if (type == &PyBool_Type) {
        puts_(b, v == Py_True ? "true" : "false");
        return LEAF;
    }
    if (type == &PyTuple_Type && is_simple(v)) {
        puts_(b, "[\"t\", [");
        for (Py_ssize_t i = 0, n = PyTuple_Size(v); i < n; i++) {
            if (i) puts_(b, ", ");
            token(b, PyTuple_GetItem(v, i));
        }
        puts_(b, "]]");
        return LEAF;
    }
    Known *space = type == &PyDict_Type ? map_get(&SPACES, v) : NULL;
    if (space) { /* it is what the module's variables are of */
        puts_(b, "[");
        put_number(b, (long long)space->number);
        puts_(b, "]");
        return space->number;
    }
    Kind *kind = kind_of(type);
    Known *k = map_get(&KNOWN, v);
    if (!kind) {
        puts_(b, "[\"?\"]");
        return BAD;
    }
    if (!k || k->kind != kind || !is_same(k)) { /* new, or another class was set */
        if (kind->look == K_TEXT && !has_tracer) { /* it may end, and another one stand in its place */
            put_result(b, ASK(py.text, v));
            return CUT;
        }
        if (kind->look == K_LEAF) {
            put_leaf(b, v);
            return LEAF;
        }
        if (KNOWN.used >= MOST_KNOWN || met >= MOST_NEW) {
            puts_(b, "[\"~\"]");
            if (met < MOST_NEW) return CUT;
            unfinished = 1;
            return BAD;
        }
        k = meet(v, kind);
    }
    else if (k->is_lost || k->is_stale || (k->look == K_TUPLE && k->size >= 0 && !k->is_queued && is_reused(k, v)))
        enqueue(k, v);
    if (k->text) {
        puts_(b, k->text);
        return k->number;
    }
    puts_(b, "[");
    put_number(b, (long long)k->number);
    puts_(b, "]");
    return k->number;
}

static Buf *row(u64 owner, u64 key)
{
    col_push(&cur->whens, when_);
    col_push(&cur->owners, owner);
    col_push(&cur->keys, key);
    if (cur->values.n) puts_(&cur->values, ", ");
    return &cur->values;
}

static u64 key_number(PyObject *key, int is_name)
{
    Map *table = is_name ? &NAMES : &KEYS;
    u64 number = (u64)(uintptr_t)map_get(table, key);
    if (number) return number;
    PyObject *found;
    int is_leaf = 1;
    if (is_name && Py_TYPE(key) == &PyUnicode_Type)
        found = ASK(py.number_of, key);
    else {
        Buf b = {0};
        is_leaf = token(&b, key) == LEAF;
        PyObject *text = PyBytes_FromStringAndSize(b.p, (Py_ssize_t)b.n);
        found = text ? ASK(py.key_number, key, text) : NULL;
        Py_XDECREF(text);
        free(b.p);
    }
    number = found ? PyLong_AsUnsignedLongLong(found) : 0;
    Py_XDECREF(found);
    if (PyErr_Occurred() || !number) {
        note_failure();
        return 0;
    }
    if (is_leaf) {
        if (table->used > MOST_KEYS) {
            for (size_t i = 0; i <= table->mask; i++)
                if (table->k[i] && table->k[i] != (void *)1) Py_DECREF((PyObject *)table->k[i]);
            map_clear(table);
        }
        Py_INCREF(key);
        map_set(table, key, (void *)(uintptr_t)number);
    }
    return number;
}

/* Comparing */

static void snap_room(Snap *s, Py_ssize_t n, int has_keys)
{
    if (n <= s->cap) return;
    Py_ssize_t cap = n < 8 ? n : n + n / 2;
    s->ptr = realloc(s->ptr, (size_t)cap * sizeof(PyObject *));
    s->num = realloc(s->num, (size_t)cap * sizeof(u64));
    if (has_keys) {
        s->key = realloc(s->key, (size_t)cap * sizeof(u64));
        s->kptr = realloc(s->kptr, (size_t)cap * sizeof(PyObject *));
    }
    s->cap = cap;
}

static int is_known_as(PyObject *v, u64 number)
{
    if (number == UNTOLD || number == CUT) return 1;
    if (number == BAD) return 0;
    Known *k = map_get(&KNOWN, v), *space = map_get(&SPACES, v);
    return (k && k->number == number) || (space && space->number == number);
}

static int is_still(Snap *s, Py_ssize_t i, PyObject *v)
{
    return s->ptr[i] == v && (s->num[i] == LEAF || (s->checked == deaths && s->num[i] != BAD) || is_known_as(v, s->num[i]));
}

static int is_number(u64 num) { return num != LEAF && num < CUT; }

static void snap_set(Snap *s, Py_ssize_t i, PyObject *v, u64 num)
{
    PyObject *old = s->ptr[i];
    u64 old_num = s->num[i];
    if (num == LEAF) Py_XINCREF(v);
    if (!has_tracer && old && old != v && is_number(old_num)) leave_place(old, old_num, s->what, s->of, i);
    s->ptr[i] = v;
    s->num[i] = num;
    s->inner += (num != LEAF) - (old_num != LEAF);
    if (s->of && is_number(num)) note_place(v, num, s->what, s->of, s->of->number, i);
    if (old_num == LEAF) Py_XDECREF(old);
}

static void snap_cut(Snap *s, Py_ssize_t n)
{
    while (s->n > n) {
        PyObject *old = s->ptr[--s->n];
        if (s->num[s->n] == LEAF)
            Py_XDECREF(old);
        else {
            s->inner--;
            if (!has_tracer && old && is_number(s->num[s->n])) leave_place(old, s->num[s->n], s->what, s->of, s->n);
        }
    }
}

static void snap_grow(Snap *s)
{
    s->ptr[s->n] = NULL;
    s->num[s->n++] = LEAF;
}

static void compare_items(Known *k, PyObject **items, Py_ssize_t n, Py_ssize_t size, int is_whole)
{
    Snap *s = &k->items;
    u64 at = deaths;
    int is_first = k->size < 0;
    if (size != k->size) {
        k->size = size;
        put_number(row(k->number, LENGTH), size);
    }
    if (n == s->n && !memcmp(items, s->ptr, (size_t)n * sizeof *items)) {
        if (!s->inner || s->checked == at) return;
        Py_ssize_t i = 0;
        while (i < n && is_still(s, i, items[i])) i++;
        if (i == n) {
            s->checked = at;
            return;
        }
    }
    PyObject *held[MOST_ITEMS];
    Py_ssize_t changed[9], count = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        held[i] = items[i];
        Py_INCREF(held[i]);
        if (count < 9 && (i >= s->n || !is_still(s, i, items[i]))) changed[count++] = i;
    }
    snap_room(s, n, 0);
    snap_cut(s, n);
    while (s->n < n) snap_grow(s);
    if (is_first || count > 8 || (is_whole && count)) {
        Buf *b = row(k->number, ALL);
        puts_(b, "[\"t\", [");
        for (Py_ssize_t i = 0; i < n; i++) {
            if (i) puts_(b, ", ");
            snap_set(s, i, held[i], token(b, held[i]));
        }
        puts_(b, "]]");
    }
    else
        for (Py_ssize_t i = 0; i < count; i++) {
            Buf *b = row(k->number, INDEX + (u64)changed[i]);
            snap_set(s, changed[i], held[changed[i]], token(b, held[changed[i]]));
        }
    s->checked = unfinished ? 0 : at;
    for (Py_ssize_t i = 0; i < n; i++) give_back(held[i]);
}

#define WIDEST 16
#define GONE (-2) /* the size of a memoryview that was released, or has no dimension */

/* The bytes of the first items, and the size; whether they can be read. Nothing of the program runs. */
static int take_numbers(Known *k, PyObject *op, char *raw, Py_ssize_t *n_raw, Py_ssize_t *size)
{
    Py_buffer view;
    *n_raw = 0;
    *size = GONE;
    if (k->kind->take_buffer(op, &view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return 0;
    }
    int can = view.ndim == 1 && !view.suboffsets && view.itemsize > 0 && view.itemsize <= WIDEST;
    if (view.ndim) *size = view.shape ? view.shape[0] : view.len / (view.itemsize ? view.itemsize : 1);
    Py_ssize_t n = *size < MOST_ITEMS ? *size : MOST_ITEMS, step = view.strides ? view.strides[0] : view.itemsize;
    for (Py_ssize_t i = 0; can && i < n; i++) memcpy(raw + i * view.itemsize, (char *)view.buf + i * step, (size_t)view.itemsize);
    if (can && n > 0) *n_raw = n * view.itemsize;
    if (k->kind->give_buffer) k->kind->give_buffer(op, &view);
    Py_XDECREF(view.obj); /* it is the object itself */
    return can;
}

/* Plain items: what is at an index, as long as nothing else has run; NULL where it can't be read. */
static PyObject *number_at(Known *k, PyObject *op, Py_ssize_t i)
{
    PyObject *item = k->kind->item_at ? k->kind->item_at(op, i) : NULL;
    if (!item) PyErr_Clear();
    return item;
}

static void put_item(Buf *b, PyObject *item)
{
    if (!item) {
        puts_(b, "[\"~\"]");
        return;
    }
    token(b, item);
    Py_DECREF(item);
}

/* A bytearray, an array or a memoryview. */
static void compare_numbers(Known *k, PyObject *op)
{
    char raw[MOST_ITEMS * WIDEST];
    Py_ssize_t n_raw, size, n = 0, count = 0, changed[9];
    int can = take_numbers(k, op, raw, &n_raw, &size), is_first = k->size == -1;
    if (size == k->size && n_raw == k->n_raw && (!n_raw || !memcmp(raw, k->raw, (size_t)n_raw))) return;
    if (size >= 0) n = size < MOST_ITEMS ? size : MOST_ITEMS;
    Py_ssize_t width = n_raw ? n_raw / n : 1, old = n_raw && k->n_raw % width == 0 ? k->n_raw / width : 0;
    for (Py_ssize_t i = 0; i < n && count < 9; i++)
        if (!can || i >= old || memcmp(raw + i * width, k->raw + i * width, (size_t)width)) changed[count++] = i;
    int is_all = is_first || count > 8;
    PyObject *items[MOST_ITEMS];
    for (Py_ssize_t i = 0; can && i < (is_all ? n : count); i++) items[i] = number_at(k, op, is_all ? i : changed[i]);
    if (size != k->size) {
        k->size = size;
        if (size == GONE)
            puts_(row(k->number, LENGTH), "[\"?\"]");
        else
            put_number(row(k->number, LENGTH), size);
    }
    if (n_raw) {
        k->raw = realloc(k->raw, (size_t)n_raw);
        memcpy(k->raw, raw, (size_t)n_raw);
    }
    k->n_raw = n_raw;
    if (is_all) {
        Buf *b = row(k->number, ALL);
        puts_(b, "[\"t\", [");
        for (Py_ssize_t i = 0; i < n; i++) {
            if (i) puts_(b, ", ");
            put_item(b, can ? items[i] : NULL);
        }
        puts_(b, "]]");
    }
    else
        for (Py_ssize_t i = 0; i < count; i++)
            put_item(row(k->number, INDEX + (u64)changed[i]), can ? items[i] : NULL);
}

static int is_told(PyObject *name, PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    if (is_leaf_type(t) || t == &PyList_Type || t == &PyDict_Type) {
        Py_ssize_t n;
        const char *p = Py_TYPE(name) == &PyUnicode_Type ? PyUnicode_AsUTF8AndSize(name, &n) : NULL;
        if (!p) PyErr_Clear();
        return !p || p[0] != '_' || p[1] != '_';
    }
    if (t == function_type || t == builtin_type || t == &PyModule_Type || PyType_Check(v)) return 0;
    Py_ssize_t n;
    const char *p = Py_TYPE(name) == &PyUnicode_Type ? PyUnicode_AsUTF8AndSize(name, &n) : NULL;
    if (!p) PyErr_Clear();
    return !p || p[0] != '_' || p[1] != '_';
}

static void set_pair(Snap *s, u64 owner, Py_ssize_t i, PyObject *v)
{
    Buf *b = row(owner, s->key[i]);
    snap_set(s, i, v, token(b, v));
}

static void hold_key(Snap *s, Py_ssize_t i, int form)
{
    if (form || !s->of || is_leaf_type(Py_TYPE(s->kptr[i]))) return;
    Known *k = map_get(&KNOWN, s->kptr[i]);
    if (k) note_place(k->ptr, k->number, H_KEY, s->of, s->of->number, i);
}

/* Pairs in their order; ``form``: 0 keys of a dict, 1 names, 2 names of a module. */
static void compare_pairs(u64 owner, Snap *s, PyObject **keys, PyObject **values, Py_ssize_t n, int form)
{
    u64 at = deaths;
    Py_ssize_t same = 0;
    while (same < n && same < s->n && keys[same] == s->kptr[same]) same++;
    if (same == n && n == s->n) {
        Py_ssize_t i = 0;
        while (i < n && is_still(s, i, values[i])) i++;
        if (i == n) {
            s->checked = at;
            return;
        }
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_INCREF(keys[i]);
        Py_INCREF(values[i]);
    }
    if (same == s->n) { /* as most: others in their places, and new ones behind them */
        snap_room(s, n, 1);
        for (Py_ssize_t i = 0; i < n; i++) {
            if (i < same) {
                if (is_still(s, i, values[i])) continue;
            }
            else {
                snap_grow(s);
                s->kptr[i] = keys[i];
                s->key[i] = key_number(keys[i], form);
                hold_key(s, i, form);
            }
            if (form == 2 && (s->num[i] == UNTOLD || i >= same) && !is_told(keys[i], values[i]))
                snap_set(s, i, values[i], UNTOLD);
            else
                set_pair(s, owner, i, values[i]);
        }
    }
    else {
        Snap old = *s;
        memset(s, 0, sizeof *s);
        s->of = old.of;
        s->what = old.what;
        snap_room(s, n, 1);
        size_t mask = 16;
        while ((Py_ssize_t)mask < 4 * (n + old.n)) mask *= 2;
        int *at_new = calloc(mask, sizeof(int)), *at_old = calloc(mask, sizeof(int));
        mask--;
        for (Py_ssize_t i = 0; i < n; i++) {
            snap_grow(s);
            s->kptr[i] = keys[i];
            s->key[i] = i < same ? old.key[i] : key_number(keys[i], form);
            hold_key(s, i, form);
            size_t h = s->key[i] * 0x9E3779B9u & mask;
            while (at_new[h]) h = (h + 1) & mask;
            at_new[h] = (int)i + 1;
        }
        char *moved = calloc((size_t)n + 1, 1);
        Py_ssize_t position = 0;
        for (Py_ssize_t i = 0; i < old.n; i++) {
            size_t h = old.key[i] * 0x9E3779B9u & mask;
            while (at_old[h]) h = (h + 1) & mask;
            at_old[h] = (int)i + 1;
            h = old.key[i] * 0x9E3779B9u & mask;
            while (at_new[h] && s->key[at_new[h] - 1] != old.key[i]) h = (h + 1) & mask;
            if (!at_new[h]) {
                if (old.num[i] != UNTOLD) puts_(row(owner, old.key[i]), "[\"-\"]");
            }
            else if (position < n && s->key[position] == old.key[i])
                position++;
            else if (!form) {
                moved[at_new[h] - 1] = 1;
                puts_(row(owner, old.key[i]), "[\"-\"]");
            }
        }
        for (Py_ssize_t i = 0; i < n; i++) {
            size_t h = s->key[i] * 0x9E3779B9u & mask;
            while (at_old[h] && old.key[at_old[h] - 1] != s->key[i]) h = (h + 1) & mask;
            Py_ssize_t before = at_old[h] - 1;
            if (before >= 0 && !moved[i] && is_still(&old, before, values[i]))
                snap_set(s, i, values[i], old.num[before]);
            else if (form == 2 && (before < 0 || old.num[before] == UNTOLD) && !is_told(keys[i], values[i]))
                snap_set(s, i, values[i], UNTOLD);
            else
                set_pair(s, owner, i, values[i]);
        }
        free(at_new);
        free(at_old);
        free(moved);
        free_snap(&old);
    }
    s->checked = at;
    for (Py_ssize_t i = 0; i < n; i++) {
        give_back(keys[i]);
        give_back(values[i]);
    }
}

static Py_ssize_t take_pairs(PyObject *dict, PyObject **keys, PyObject **values, Py_ssize_t most)
{
    Py_ssize_t position = 0, n = 0;
    while (n < most && PyDict_Next(dict, &position, &keys[n], &values[n])) n++;
    return n;
}

static void compare_space(Known *k)
{
    PyObject *dict = k->ptr;
    Py_ssize_t most = PyDict_Size(dict);
    PyObject **keys = malloc(((size_t)most + 1) * 2 * sizeof *keys), **values = keys + most + 1;
    compare_pairs(k->number, &k->attrs, keys, values, take_pairs(dict, keys, values, most), 2);
    free(keys);
}

static void force_dict(PyObject *dict)
{
    /* 3.13.0: a dict that shares the values of its object is not told of what is stored there; this one is its own. */
    if (PyDict_Size(dict) > 0) {
        PyObject *pair = PyObject_CallMethod(dict, "popitem", NULL);
        if (pair) PyDict_SetItem(dict, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
        Py_XDECREF(pair);
    }
    else {
        PyDict_SetItem(dict, Py_None, Py_None);
        PyDict_DelItem(dict, Py_None);
    }
    if (PyErr_Occurred()) note_failure();
}

/* Its attributes, as its dict tells them; the object itself is not touched. */
static int is_told_by_dict(Known *k)
{
    return k->look == K_OBJECT && k->dict && k->dict != k->ptr && k->reg < 0 && !k->kind->n_members && k->kind->has_dict;
}

static void compare_attributes(Known *k)
{
    PyObject *keys[MOST_ITEMS + 64], *values[MOST_ITEMS + 64], *args = NULL;
    Py_ssize_t n = 0;
    if (k->look == K_ERROR) {
        args = ASK(py.arguments, k->ptr);
        if (args && PyTuple_Check(args) && PyTuple_Size(args) == 2) {
            k->size = (Py_ssize_t)(intptr_t)PyTuple_GetItem(args, 1);
            keys[n] = PyTuple_GetItem(args, 0);
            values[n++] = PyTuple_GetItem(args, 1);
        }
        else
            note_failure();
    }
    if (k->kind->has_dict) {
        PyObject *dict = k->dict;
        if (!dict || dict == k->ptr || k->reg >= 0) {
            dict = PyObject_GenericGetDict(k->ptr, NULL);
            if (dict) {
                Py_DECREF(dict); /* the object keeps it */
                if (k->dict && k->dict != k->ptr && k->dict != dict) forget_dict(k);
                if (PyDict_Check(dict) && has_watcher && !k->dict) {
                    if (inline_trick) force_dict(dict);
                    watch(k, dict);
                }
            }
            else
                PyErr_Clear();
        }
        if (dict && PyDict_Check(dict) && COUNT(dict)) n += take_pairs(dict, keys + n, values + n, MOST_ITEMS);
    }
    u64 more[64];
    int members = 0;
    Py_ssize_t own = n;
    for (int i = 0; i < k->kind->n_members && members < 60; i++) {
        PyObject *v = *(PyObject **)((char *)k->ptr + k->kind->member_offsets[i]);
        if (!v) continue;
        keys[n] = (PyObject *)(uintptr_t)k->kind->member_keys[i];
        more[members++] = k->kind->member_keys[i];
        values[n++] = v;
    }
    for (Py_ssize_t i = own; i < n; i++) Py_INCREF(values[i]);
    if (k->kind->content_key && k->size < 0) { /* the plain text or number that it is never changes */
        PyObject *content = ASK(py.content, k->ptr);
        if (content) {
            k->size = 0;
            token(row(k->number, k->kind->content_key), content);
            Py_DECREF(content);
        }
        else
            note_failure();
    }
    if (own || k->attrs.n || !members) compare_pairs(k->number, &k->attrs, keys, values, own, 1);
    if (members || k->slots.n) { /* slots have numbers, not names: they are compared by those */
        Snap *s = &k->slots;
        u64 at = deaths;
        for (Py_ssize_t i = 0; i < s->n; i++) {
            int is_there = 0;
            for (int j = 0; j < members; j++) is_there |= more[j] == s->key[i];
            if (!is_there && s->ptr[i]) {
                puts_(row(k->number, s->key[i]), "[\"-\"]");
                snap_set(s, i, NULL, BAD);
            }
        }
        for (int j = 0; j < members; j++) {
            Py_ssize_t i = 0;
            PyObject *v = values[own + j];
            while (i < s->n && s->key[i] != more[j]) i++;
            if (i < s->n && is_still(s, i, v)) continue;
            if (i == s->n) {
                snap_room(s, s->n + 1, 1);
                snap_grow(s);
                s->kptr[i] = NULL;
                s->key[i] = more[j];
            }
            set_pair(s, k->number, i, v);
        }
        s->checked = at;
    }
    for (Py_ssize_t i = own; i < n; i++) give_back(values[i]);
    if (args) give_back(args);
}

/* The layouts of these were tried at the start. */
#define LIST_SIZE(op) (*(Py_ssize_t *)((char *)(op) + 16))
#define LIST_ITEMS(op) (*(PyObject ***)((char *)(op) + 24))
#define SET_USED(op) (*(Py_ssize_t *)((char *)(op) + 24))
#define SET_MASK(op) (*(Py_ssize_t *)((char *)(op) + 32))
#define SET_TABLE(op) (*(PyObject ***)((char *)(op) + 40))
#define SET_FILL(op) (*(Py_ssize_t *)((char *)(op) + 16))

static PyObject *set_dummy;

static Py_ssize_t take_set(PyObject *op, PyObject **items)
{
    Py_ssize_t n = 0, mask = SET_MASK(op), left = SET_USED(op);
    PyObject **table = SET_TABLE(op);
    for (Py_ssize_t i = 0; i <= mask && left && n < MOST_ITEMS; i++) {
        PyObject *key = table[2 * i];
        if (key && key != set_dummy) {
            items[n++] = key;
            left--;
        }
    }
    return n;
}

static Py_ssize_t take_deque(PyObject *op, PyObject **items)
{
    char *d = (char *)op, *block = *(char **)(d + 24);
    Py_ssize_t size = *(Py_ssize_t *)(d + 16), index = *(Py_ssize_t *)(d + 40), n = 0;
    while (n < size && n < MOST_ITEMS) {
        items[n++] = ((PyObject **)(block + 8))[index++];
        if (index == 64) {
            index = 0;
            block = *(char **)(block + 8 + 64 * 8);
        }
    }
    return n;
}

/* What is held: see at the top. */

static PyObject *local_at(Rec *r, int i)
{
    PyObject **fast = (PyObject **)(*(char **)((char *)r->frame + 24) + off_locals);
    PyObject *v = (PyObject *)((uintptr_t)fast[i] & ~(uintptr_t)3);
    if (v && r->info->is_cell[i] && Py_TYPE(v) == cell_type) v = *(PyObject **)((char *)v + 16);
    return v;
}

static void lose(Known *k)
{
    if (k->is_lost || k->is_dead) return;
    k->is_lost = 1;
    PUSH(LOST, n_lost, cap_lost, k);
}

static int has_value(PyObject *dict, PyObject *v)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict, &position, &key, &value))
        if (value == v || key == v) return 1;
    return 0;
}

/* What a function that may be touched shares with others. */
static PyObject *in_closure(PyObject *function, int at)
{
    PyObject *closure = Py_TYPE(function) == function_type ? closure_of(function) : NULL;
    if (!closure || at >= PyTuple_Size(closure)) return NULL;
    PyObject *cell = PyTuple_GetItem(closure, at);
    return Py_TYPE(cell) == cell_type ? *(PyObject **)((char *)cell + 16) : NULL;
}

/* The same of a function that is a global variable, and not told as one: its place there, and that in its closure. */
static int global_closure(Known *space, Py_ssize_t i)
{
    if (!COUNT(space->dict) || space->is_dirty || space->is_stale) return 0;
    PyObject *function = space->attrs.ptr[i], *closure = Py_TYPE(function) == function_type ? closure_of(function) : NULL;
    Py_ssize_t size = closure ? PyTuple_Size(closure) : 0;
    return size < 64 ? (int)size : 64;
}

static PyObject *in_global(Known *space, int at)
{
    Py_ssize_t i = at >> 6;
    if (!COUNT(space->dict) || space->is_dirty || space->is_stale || i >= space->attrs.n || space->attrs.num[i] != UNTOLD) return NULL;
    return in_closure(space->attrs.ptr[i], at & 63);
}

/* Whether an object that may be touched holds another one at a place. */
static int does_hold(Known *k, Hold *h, PyObject *v)
{
    PyObject *op = k->ptr;
    if (h->what == H_CELL) return in_closure(op, h->at) == v;
    if (h->what == H_SLOT) {
        for (int i = 0; i < k->kind->n_members; i++)
            if (h->at < k->slots.n && k->kind->member_keys[i] == k->slots.key[h->at])
                return *(PyObject **)((char *)op + k->kind->member_offsets[i]) == v;
        return 0;
    }
    if (h->what == H_ATTR) {
        if (k->look == K_ERROR && *(PyObject **)((char *)op + 24) == v) return 1;
        PyObject *dict = k->kind->has_dict ? PyObject_GenericGetDict(op, NULL) : NULL;
        if (!dict) {
            PyErr_Clear();
            return 0;
        }
        Py_DECREF(dict);
        return PyDict_Check(dict) && has_value(dict, v);
    }
    switch (k->look) {
    case K_LIST:
        return h->at < LIST_SIZE(op) && LIST_ITEMS(op)[h->at] == v;
    case K_TUPLE:
        return h->at < PyTuple_Size(op) && PyTuple_GetItem(op, h->at) == v;
    case K_DEQUE: {
        PyObject *items[MOST_ITEMS];
        return h->at < take_deque(op, items) && items[h->at] == v;
    }
    case K_SET:
    case K_FROZEN: {
        PyObject **table = SET_TABLE(op);
        for (Py_ssize_t i = 0; i <= SET_MASK(op); i++)
            if (table[2 * i] == v) return 1;
        return 0;
    }
    case K_DICT:
    case K_ORDERED:
        return has_value(op, v);
    }
    return 0;
}

#define LONGEST_CLIMB 4000

/* Whether an object may be touched in this stretch: 1; 0 if no place that is known holds it, -1 if that can't be told
   now. Places that hold it no more are forgotten. */
static int climbed;

static int is_held(Known *k)
{
    static Known *path[LONGEST_CLIMB];
    if (k->is_lost || k->is_dead) return 0;
again:
    climbs++;
    int n = 0;
    for (Known *o = k;;) {
        if (o->held_at == stretch) break;
        if (o->dict && o->dict == o->ptr) { /* a dict that is watched */
            if (COUNT(o->dict)) {
                o->held_at = stretch;
                break;
            }
            if (o == k) return 0;
            drop_hold(path[n - 1], 0);
            goto again;
        }
        if (n == LONGEST_CLIMB) return -1;
        o->climb = climbs;
        path[n++] = o;
        climbed++;
        Hold *h = o->holds;
        if (!h->what) {
            lose(o);
            if (o == k) return 0;
            drop_hold(path[n - 2], 0);
            goto again;
        }
        if (h->what == H_LOCAL) {
            Rec *r = h->who;
            if (r->number == h->number && !r->is_dead) {
                if (!r->is_live) { /* a generator that waits */
                    if (!h[1].what) return -1;
                }
                else if (r->info->form == 0 && local_at(r, h->at) == o->ptr) {
                    o->held_at = stretch;
                    break;
                }
            }
            drop_hold(o, 0);
            goto again;
        }
        Known *holder = h->who;
        if (h->what == H_CELL && holder->look == K_SPACE && holder->number == h->number && !holder->is_dead) {
            if (holder->is_dirty || holder->is_stale) return -1;
            if (in_global(holder, h->at) != o->ptr) {
                drop_hold(o, 0);
                goto again;
            }
            o->held_at = stretch;
            break;
        }
        if (holder->number != h->number || holder->is_dead || holder->climb == climbs || holder->is_lost) {
            drop_hold(o, 0);
            goto again;
        }
        int is_by_dict = h->what == H_CELL ? 0 : h->what == H_ATTR ? holder->dict && (holder->look != K_ERROR || h->at) :
            h->what != H_SLOT && holder->dict && holder->dict == holder->ptr;
        if (is_by_dict) { /* it tells what is stored in it */
            if (holder->is_dirty || holder->is_stale) return -1; /* else its dict is as it was noted */
            if (!COUNT(holder->dict) || noted_at(h) != o->ptr) {
                drop_hold(o, 0);
                goto again;
            }
            o->held_at = stretch;
            break;
        }
        o = holder;
    }
    while (n--) { /* from the root down */
        Known *o = path[n];
        if (o->held_at != stretch) {
            if (!does_hold(o->holds[0].who, &o->holds[0], o->ptr)) {
                drop_hold(o, 0);
                goto again;
            }
            o->held_at = stretch;
        }
    }
    return 1;
}

/* Look for those that have lost their places in all that is known: amortized, some microseconds at each moment. */
static void search_lost(void)
{
    size_t cost = 0, found = 1;
    for (int round = 0; round < 4 && found; round++) {
        found = 0;
        for (size_t i = 0; RECS.k && i <= RECS.mask; i++) {
            Rec *r = RECS.v[i];
            if (!r || r->is_dead || r->info->form) continue;
            cost += (size_t)r->info->n + 1;
            for (int j = 0; j < r->info->n; j++) {
                if (!r->ptr[j] || !is_number(r->num[j])) continue;
                Known *k = map_get(&KNOWN, r->ptr[j]);
                if (!k || !k->is_lost || k->number != r->num[j]) continue;
                note_place(k->ptr, k->number, H_LOCAL, r, r->number, j);
                k->is_lost = 0;
                k->is_revived = 1;
                found++;
                mark(k);
            }
        }
        Map *tables[] = {&KNOWN, &SPACES};
        for (int t = 0; t < 2; t++)
            for (size_t i = 0; tables[t]->k && i <= tables[t]->mask; i++) {
                Known *each = tables[t]->v[i];
                if (!each || each->is_lost || each->is_dead || each->is_stale) continue;
                if (each->look == K_TEXT && REFERRED(each->kind->type) == (PyObject *)function_type && is_held(each) > 0) {
                    PyObject *v, *closure = closure_of(each->ptr);
                    int size = closure ? (int)PyTuple_Size(closure) : 0;
                    cost += (size_t)size + 8;
                    for (int j = 0; j < size; j++) {
                        Known *k = (v = in_closure(each->ptr, j)) ? map_get(&KNOWN, v) : NULL;
                        if (!k || !k->is_lost) continue;
                        note_place(v, k->number, H_CELL, each, each->number, j);
                        k->is_lost = 0;
                        k->is_revived = 1;
                        found++;
                        mark(k);
                    }
                }
                Snap *snaps[] = {&each->items, &each->attrs, &each->slots};
                for (int which = 0; which < 3; which++) {
                    Snap *s = snaps[which];
                    if (!s->inner) continue;
                    cost += (size_t)s->n + 1;
                    for (Py_ssize_t j = 0; j < s->n; j++) {
                        int size = t && s->num[j] == UNTOLD ? global_closure(each, j) : 0;
                        cost += (size_t)size;
                        for (int c = 0; c < size; c++) {
                            PyObject *v = in_global(each, (int)(j << 6 | c));
                            Known *k = v ? map_get(&KNOWN, v) : NULL;
                            if (!k || !k->is_lost) continue;
                            note_place(v, k->number, H_CELL, each, each->number, j << 6 | c);
                            k->is_lost = 0;
                            k->is_revived = 1;
                            found++;
                            mark(k);
                        }
                        if (!s->ptr[j] || !is_number(s->num[j])) continue;
                        Known *k = map_get(&KNOWN, s->ptr[j]);
                        if (!k || !k->is_lost || k->number != s->num[j]) continue;
                        note_place(k->ptr, k->number, s->what, each, each->number, j);
                        k->is_lost = 0;
                        k->is_revived = 1;
                        found++;
                        mark(k);
                    }
                }
            }
    }
    for (size_t i = 0; i < n_lost; i++) {
        Known *k = LOST[i];
        if (!k->is_lost || k->is_dead) continue;
        k->is_lost = 0;
        k->is_stale = 1; /* it is looked at again where it is met again */
        unregister(k);
    }
    n_lost = 0;
    next_search = when_ + cost / 512;
}

/* Where no ends are told, forget what no place is known to hold. */
static void purge(void)
{
    size_t n = 0;
    Known **gone = malloc((KNOWN.used + 1) * sizeof *gone);
    for (size_t i = 0; KNOWN.k && i <= KNOWN.mask; i++) {
        Known *k = KNOWN.v[i];
        if (k && !k->dict && !k->is_queued && is_held(k) <= 0) gone[n++] = k;
    }
    for (size_t i = 0; i < n; i++) {
        map_pop(&KNOWN, gone[i]->ptr);
        end_known(gone[i]);
    }
    free(gone);
    most_known = KNOWN.used * 2 > 20000 ? KNOWN.used * 2 : 20000;
}

/* What had no place with it has one again. */
static void revive(Known *k)
{
    Snap *snaps[] = {&k->items, &k->attrs, &k->slots};
    k->is_revived = 0;
    for (int which = 0; which < 3; which++) {
        Snap *s = snaps[which];
        for (Py_ssize_t i = 0; s->inner && i < s->n; i++) {
            if (!s->ptr[i] || !is_number(s->num[i])) continue;
            Known *each = map_get(&KNOWN, s->ptr[i]);
            if (!each || each->number != s->num[i] || !(each->is_lost || each->is_stale)) continue;
            Hold h = {k, k->number, (int)i, s->what};
            int is_by_dict = s->what == H_ATTR ? k->dict && k->look != K_ERROR : s->what == H_ITEM && k->dict == k->ptr;
            if (is_by_dict ? k->is_dirty || !COUNT(k->dict) : !k->kind || !does_hold(k, &h, s->ptr[i])) continue;
            note_place(each->ptr, each->number, s->what, k, k->number, i);
            enqueue(each, each->ptr);
        }
    }
}

/* ``is_given``: a reference to it is held. */
static int compare_known(Known *k, int is_given)
{
    PyObject *op = k->ptr, *items[MOST_ITEMS], *values[MOST_ITEMS];
    Py_ssize_t n, size;
    int is_by_dict = is_told_by_dict(k), held = is_given || is_by_dict ? 1 : is_held(k);
    if (held <= 0) {
        k->is_stale = 1; /* what was noted of it is not what is in it, perhaps */
        return held;
    }
    if (is_by_dict) op = k->dict;
    if (!COUNT(op)) {
        k->is_stale = 1;
        return 0;
    }
    Py_INCREF(op);
    u64 before = k->seen;
    size_t rows = cur->whens.n;
    k->seen = when_;
    k->is_stale = 0;
    unfinished = 0;
    switch (k->look) {
    case K_LIST:
        size = LIST_SIZE(op);
        compare_items(k, LIST_ITEMS(op), size < MOST_ITEMS ? size : MOST_ITEMS, size, 0);
        break;
    case K_TUPLE:
        size = PyTuple_Size(op);
        for (n = 0; n < size && n < MOST_ITEMS; n++) items[n] = PyTuple_GetItem(op, n);
        compare_items(k, items, n, size, 0);
        break;
    case K_SET:
        compare_items(k, items, take_set(op, items), SET_USED(op), 1);
        break;
    case K_FROZEN:
        if (k->size < 0) compare_items(k, items, take_set(op, items), SET_USED(op), 1);
        break;
    case K_DEQUE:
        compare_items(k, items, take_deque(op, items), *(Py_ssize_t *)((char *)op + 16), 0);
        break;
    case K_NUMBERS:
        compare_numbers(k, op);
        break;
    case K_DICT:
    case K_ORDERED: {
        PyObject *order = NULL;
        size = PyDict_Size(op);
        if (size != k->size) {
            k->size = size;
            put_number(row(k->number, LENGTH), size);
        }
        if (k->look == K_ORDERED) {
            order = ASK(py.ordered, op);
            if (!order) {
                note_failure();
                break;
            }
            for (n = 0, size = PyTuple_Size(order); n < size / 2 && n < MOST_ITEMS; n++) {
                items[n] = PyTuple_GetItem(order, 2 * n);
                values[n] = PyTuple_GetItem(order, 2 * n + 1);
            }
        }
        else
            n = take_pairs(op, items, values, MOST_ITEMS);
        /* attributes of a class of the person's own below dict stand apart */
        compare_pairs(k->number, &k->items, items, values, n, 0);
        Py_XDECREF(order);
        break;
    }
    case K_SPACE:
        compare_space(k);
        break;
    default:
        compare_attributes(k);
    }
    if (k->kind && (k->kind->has_dict || k->kind->n_members) && k->look < K_OBJECT && k->look != K_LEAF) compare_attributes(k);
    if (unfinished) PUSH(LATER, n_later, cap_later, k);
    if (before && k->reg >= 0 && before + 1 < when_ && cur->whens.n > rows)
        put_number(row(k->number, SPAN), (long long)before);
    if (k->is_revived && !k->is_dead) revive(k);
    give_back(op);
    return 1;
}

static void drain(void)
{
    size_t at = 0, first = n_dirty;
    while (n_queue || at < n_dirty) {
        if (n_queue) {
            Known *k = QUEUE[--n_queue];
            PyObject *op = k->ptr;
            k->is_queued = 0;
            if (!k->is_dead) compare_known(k, 1);
            give_back(op);
        }
        else {
            Known *k = DIRTY[at++];
            k->is_dirty = 0;
            if (k->is_dead || compare_known(k, 0) >= 0) continue;
            if (at <= first) /* behind what holds it */
                mark(k);
            else
                PUSH(LATER, n_later, cap_later, k);
        }
    }
    n_dirty = 0;
    for (size_t i = 0; i < n_later; i++) mark(LATER[i]);
    n_later = 0;
}

static int units_of(Known *k)
{
    return 8 + (int)(k->items.n >> 2) + (k->look == K_SET ? 16 + (int)(k->items.n >> 1) : 0) +
        (k->look >= K_DICT && k->look != K_SET && k->look != K_DEQUE && k->look != K_NUMBERS ? 30 + (int)k->attrs.n * 6 : 0) +
        (k->look == K_DEQUE ? (int)k->items.n : 0) + (k->items.inner && k->items.checked != deaths ? (int)k->items.n * 3 : 0);
}

/* The object may be touched. */
static void sweep_one(Known *k)
{
    if (k->look == K_LIST && !k->kind->has_dict && !k->kind->n_members && k->size >= 0) { /* the quickest look, the most usual */
        Py_ssize_t size = LIST_SIZE(k->ptr);
        if (size == k->size && (!k->items.inner || k->items.checked == deaths) &&
            !memcmp(LIST_ITEMS(k->ptr), k->items.ptr, (size_t)k->items.n * sizeof(PyObject *))) {
            k->seen = when_;
            return;
        }
    }
    if (k->look == K_OBJECT && !k->kind->n_members && k->dict) {
        PyObject *dict = PyObject_GenericGetDict(k->ptr, NULL);
        Py_XDECREF(dict);
        if (dict == k->dict) {
            k->seen = when_;
            return;
        }
    }
    if (k->look == K_ERROR && !k->kind->n_members && k->dict && *(Py_ssize_t *)((char *)k->ptr + 24) == k->size) {
        k->seen = when_;
        return;
    }
    compare_known(k, 0);
}

static void sweep(int is_all)
{
    int units = UNITS;
    for (size_t count = n_reg; count && (is_all || units > 0); count--) {
        if (at_reg >= n_reg) at_reg = 0;
        if (!n_reg) break;
        Known *k = REG[at_reg++];
        if (k->seen == when_ || k->is_lost || k->is_queued) continue;
        units -= units_of(k);
        climbed = 0;
        if (is_held(k) > 0) sweep_one(k);
        units -= climbed * 4;
    }
}

/* Calls */

/* What stands in a place that was just read, and is the same as before: what is at hand is compared first. */
static void meet_again(PyObject *v, Known *k)
{
    if (k->is_lost || k->is_stale)
        enqueue(k, v);
    else if (k->reg >= 0 && k->seen != when_ && !k->is_queued) {
        k->held_at = stretch;
        sweep_one(k);
    }
}

/* The variables of the body of a class; nothing tells of what is stored in that dict, so that it is no place either. */
static void compare_names(Rec *r)
{
    PyObject *dict = frame_locals(r->frame), *keys[MOST_ITEMS], *values[MOST_ITEMS];
    if (dict && PyDict_Check(dict)) {
        Py_ssize_t n = take_pairs(dict, keys, values, MOST_ITEMS), kept = 0;
        for (Py_ssize_t i = 0; i < n; i++)
            if (Py_TYPE(keys[i]) == &PyUnicode_Type && !PySet_Contains(r->info->hidden, keys[i])) {
                keys[kept] = keys[i];
                values[kept++] = values[i];
            }
        for (Py_ssize_t i = 0; i < kept; i++) Py_INCREF(values[i]);
        compare_pairs(r->owner, &r->names, keys, values, kept, 1);
        for (Py_ssize_t i = 0; i < kept; i++) {
            Known *k = map_get(&KNOWN, values[i]);
            if (k && k->kind && k->ptr == values[i]) meet_again(values[i], k);
        }
        for (Py_ssize_t i = 0; i < kept; i++) give_back(values[i]);
    }
    Py_XDECREF(dict);
    PyErr_Clear();
}

/* The call is live, or somebody has a reference to its frame (``is_kept``). */
static void compare_locals_of(Rec *r, int is_kept)
{
    u64 at = deaths;
    Info *info = r->info;
    if (!is_kept && !r->is_live) return;
    if (info->form == 2) {
        compare_names(r);
        return;
    }
    for (int i = 0; i < info->n; i++) {
        if (r->is_dead || !(is_kept || r->is_live)) return; /* it has gone on meanwhile, in another thread */
        PyObject *v = local_at(r, i);
        if (v == r->ptr[i]) {
            if (!v || r->num[i] == LEAF) continue;
            if (r->checked == at && !r->is_resumed && r->num[i] != BAD && (size_t)UNITS / 12 > n_reg) continue;
            Known *k = map_get(&KNOWN, v);
            if ((!k || k->number != r->num[i]) && is_known_as(v, r->num[i])) continue;
            if (k && k->number == r->num[i]) {
                if (!k->holds[0].what || r->is_resumed) note_place(v, k->number, H_LOCAL, r, r->number, i);
                if (k->is_lost || k->is_stale || k->reg >= 0) {
                    Py_INCREF(v);
                    meet_again(v, k);
                    give_back(v);
                }
                continue;
            }
        }
        PyObject *old = r->ptr[i];
        u64 num = r->num[i];
        Buf *b = row(r->owner, info->keys[i]);
        if (!has_tracer && old && old != v && is_number(num)) leave_place(old, num, H_LOCAL, r, i);
        if (!v) {
            puts_(b, "[\"-\"]");
            r->num[i] = LEAF;
        }
        else {
            Py_INCREF(v);
            r->num[i] = token(b, v);
            if (is_number(r->num[i])) note_place(v, r->num[i], H_LOCAL, r, r->number, i);
            if (r->num[i] != LEAF) give_back(v);
        }
        r->ptr[i] = v;
        if (num == LEAF) Py_XDECREF(old);
    }
    r->checked = at;
    r->is_resumed = 0;
}

static void compare_locals(Rec *r) { compare_locals_of(r, 0); }

static Known *space_of(PyObject *globals)
{
    Known *k = map_get(&SPACES, globals);
    if (k) return k;
    PyObject *number = ASK(py.space, globals);
    if (!number) {
        note_failure();
        return NULL;
    }
    k = new_known(globals, NULL, K_SPACE);
    k->number = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    watch(k, globals);
    if (!k->dict) { /* its end would not be told */
        free_known(k);
        return NULL;
    }
    map_set(&SPACES, globals, k);
    mark(k);
    return k;
}

/* What is known of a code object that is recorded: the Python parts keep those. */
static Info *info_of(PyObject *code, PyObject *frame)
{
    Info *info = map_get(&INFOS, code);
    if (info) return info == (Info *)1 ? NULL : info;
    PyObject *about = ASK(py.info, code, frame);
    PyObject *keys, *cells, *hidden;
    long number;
    int form, is_generator;
    if (!about || !PyArg_ParseTuple(about, "liiO!O!O", &number, &form, &is_generator, &PyTuple_Type, &keys, &PyBytes_Type, &cells,
                      &hidden)) {
        Py_XDECREF(about);
        note_failure();
        return NULL;
    }
    info = calloc(1, sizeof *info);
    info->number = number;
    info->form = form;
    info->is_generator = is_generator;
    info->hidden = hidden;
    Py_INCREF(hidden);
    info->n = (int)PyTuple_Size(keys);
    info->keys = calloc((size_t)info->n + 1, sizeof(u64));
    info->is_cell = calloc((size_t)info->n + 1, 1);
    char *text = NULL;
    Py_ssize_t size = 0;
    PyBytes_AsStringAndSize(cells, &text, &size);
    for (int i = 0; i < info->n; i++) {
        info->keys[i] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(keys, i));
        info->is_cell[i] = i < size && text[i];
        info->has_cells |= info->is_cell[i];
    }
    Py_DECREF(about);
    map_set(&INFOS, code, info);
    return info;
}

/* The next frame above that is recorded, as a new reference. */
static PyObject *around(PyObject *frame, Rec **found, Info **info)
{
    PyObject *above = frame_back(frame), *next;
    *found = NULL;
    while (above) {
        *found = map_get(&RECS, above);
        if (*found) return above;
        PyObject *code = PyObject_GetAttrString(above, "f_code");
        if (code) {
            void *known = has_tracer ? map_get(&INFOS, code) : NULL;
            if (!known) {
                PyObject *own = ASK(py.is_own, code);
                int is_own = own && own == Py_True;
                if (!own) note_failure();
                Py_XDECREF(own);
                if (is_own)
                    known = info_of(code, above);
                else if (has_tracer)
                    map_set(&INFOS, code, (void *)1);
            }
            give_back(code);
            if (known && known != (void *)1) {
                *info = known;
                return above;
            }
        }
        else
            PyErr_Clear();
        next = frame_back(above);
        give_back(above);
        above = next;
    }
    return NULL;
}

static int line_of(PyObject *frame)
{
    PyObject *line = PyObject_GetAttrString(frame, "f_lineno");
    int number = line && PyLong_Check(line) ? (int)PyLong_AsLong(line) : 0;
    Py_XDECREF(line);
    PyErr_Clear();
    return number;
}

static Rec *begin_call(PyObject *frame, PyObject *code, Info *info, Rec *parent, int parent_line, int is_live)
{
    PyObject *globals = frame_globals(frame);
    Known *space = space_of(globals);
    Py_XDECREF(globals);
    if (!space) return NULL;
    Rec *r = map_get(&RECS, frame);
    if (r) end_rec(r);
    r = n_rec_pool ? REC_POOL[--n_rec_pool] : malloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->frame = frame;
    r->is_live = (char)is_live;
    r->code = code;
    r->info = info;
    r->thr = cur;
    r->number = ++numbers;
    r->owner = info->form == 1 ? space->number : r->number;
    r->celled = -1;
    r->ptr = calloc((size_t)info->n + 1, sizeof *r->ptr);
    r->num = calloc((size_t)info->n + 1, sizeof *r->num);
    map_set(&RECS, frame, r);
    if (info->has_cells) {
        r->celled = (int)n_celled;
        PUSH(CELLED, n_celled, cap_celled, r);
    }
    Buf *b = &cur->frames;
    u64 told[] = {r->number, (u64)info->number, parent ? parent->number : 0, (u64)parent_line, (u64)cur->number, when_, r->owner};
    puts_(b, b->n ? ", [" : "[");
    for (int i = 0; i < 7; i++) {
        if (i) puts_(b, ", ");
        put_number(b, (long long)told[i]);
    }
    puts_(b, "]");
    if (info->is_generator) {
        b = row(r->number, PARENT);
        puts_(b, "[\"t\", [");
        put_number(b, parent ? (long long)parent->number : 0);
        puts_(b, ", ");
        put_number(b, parent_line);
        puts_(b, "]]");
    }
    return r;
}

/* ``is_live``: the frame is on the stack of this thread. */
static Rec *meet_frame(PyObject *frame, PyObject *code, int is_live)
{
    Info *info = info_of(code, frame), *above_info = NULL;
    if (!info) return NULL;
    Rec *parent;
    PyObject **missing = NULL;
    size_t n = 0, cap = 0;
    PyObject *above = around(frame, &parent, &above_info);
    while (above && !parent) {
        PUSH(missing, n, cap, above);
        above = around(above, &parent, &above_info);
    }
    u64 parent_number = parent ? parent->number : 0;
    if (parent) compare_locals_of(parent, 1);
    int line = parent ? (parent->line ? parent->line : line_of(above)) : 0;
    while (n) {
        PyObject *each = missing[--n];
        PyObject *its = PyObject_GetAttrString(each, "f_code");
        Info *its_info = its ? info_of(its, each) : NULL;
        if (parent && parent->number != parent_number) parent = NULL; /* it has ended meanwhile, in another thread */
        Rec *r = its_info ? begin_call(each, its, its_info, parent, line, is_live) : NULL;
        Py_XDECREF(its);
        if (r) {
            parent_number = r->number;
            line = r->line = line_of(each);
            compare_locals_of(r, 1);
            parent = r;
        }
        give_back(each);
    }
    free(missing);
    if (parent && parent->number != parent_number) parent = NULL;
    Rec *r = begin_call(frame, code, info, parent, line, is_live);
    if (above) give_back(above);
    return r;
}

/* Moments */

static Thr *thread_of(u64 ident) { return map_get(&THREADS, (void *)(uintptr_t)(ident << 4)); }

static Thr *add_thread(u64 ident)
{
    Thr *thr = calloc(1, sizeof *thr);
    thr->ident = ident;
    thr->number = -1;
    map_set(&THREADS, (void *)(uintptr_t)(ident << 4), thr);
    return thr;
}

static Thr *thread_now(void)
{
    u64 id = PyThreadState_GetID(PyThreadState_Get());
    if (last_thr && last_id == id && last_thr->number >= 0) return last_thr;
    u64 ident = PyThread_get_thread_ident();
    Thr *thr = thread_of(ident);
    if (!thr) thr = add_thread(ident);
    int busy = thr->busy;
    thr->busy = busy ? busy : 1;
    if (thr->id && thr->id != id) { /* another one had that identifier */
        stretch++;
        PyObject *done = PyObject_CallFunction(py.seal, "K", (unsigned long long)ident);
        Py_XDECREF(done);
        if (PyErr_Occurred()) note_failure();
        thr->number = -1;
        busy = 0;
    }
    thr->id = id;
    if (thr->number < 0) {
        stretch++;
        PyObject *number = PyObject_CallNoArgs(py.meet_thread);
        if (number) {
            thr->number = PyLong_AsLong(number);
            Py_DECREF(number);
        }
        else
            note_failure();
        thr->full = now_ + SEGMENT;
    }
    thr->busy = busy;
    last_thr = thr;
    last_id = id;
    return thr;
}

static void pause_shortly(void)
{
    struct timespec pause = {0, 50000};
    nanosleep(&pause, NULL);
}

static Thr *enter(void)
{
    if (!is_on) return NULL;
    Thr *thr = thread_now();
    if (thr->busy || thr->number < 0) return NULL;
    for (int i = 0; core_busy; i++) { /* another thread is in the midst of it, and writes or asks the Python parts */
        Py_BEGIN_ALLOW_THREADS
        pause_shortly();
        Py_END_ALLOW_THREADS
        if (!is_on) return NULL;
        if (i > 20000) {
            failed_++;
            return NULL;
        }
    }
    thr->busy = 1;
    core_busy = 1;
    stretch++;
    cur = thr;
    when_ = ++now_;
    met = 0;
    if (has_tracer && !(when_ & 1023)) {
        void *data;
        if (get_tracer(&data) != (void *)on_object) has_tracer = 0; /* the program has one of its own */
    }
    return thr;
}

static void forget_now(int is_all, int is_anew);

static void leave(Thr *thr)
{
    for (size_t i = 0; i < n_celled; i++) compare_locals(CELLED[i]); /* variables of live calls that functions share */
    if (n_queue || n_dirty || n_later) drain();
    sweep(0);
    if (n_lost && when_ >= next_search) search_lost();
    if (n_queue || n_dirty || n_later) drain();
    if (!has_tracer && KNOWN.used > most_known) purge();
    if (when_ >= thr->full || thr->whens.n > MOST_CHANGES || thr->values.n > 8u << 20) {
        stretch++;
        PyObject *done = PyObject_CallFunction(py.seal, "K", (unsigned long long)thr->ident);
        Py_XDECREF(done);
        if (PyErr_Occurred()) note_failure();
        thr->full = now_ + SEGMENT;
    }
    bury();
    if (forget_later) forget_now(forget_later & 2, forget_later & 4);
    core_busy = 0;
    thr->busy = 0;
}

static void moment(Thr *thr, Rec *r, int kind)
{
    if (kind == LINE) r->has_begun = 1;
    col_push(&thr->times, when_);
    col_push(&thr->wheres, r->number << 24 | (u64)kind << 20 | ((u64)r->line & 0xFFFFF));
}

/* An exception that is under way is not ours: it is there again afterwards. */
#define GUARDED PyObject *raised_ = PyErr_GetRaisedException();
#define END_GUARDED                                                  \
    if (raised_) PyErr_SetRaisedException(raised_);                  \
    else if (theirs && !core_busy) {                                 \
        raised_ = theirs;                                            \
        theirs = NULL;                                               \
        PyErr_SetRaisedException(raised_);                           \
        return NULL;                                                 \
    }                                                                \
    Py_RETURN_NONE;

static PyObject *on_line(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    if (n < 2) Py_RETURN_NONE;
    GUARDED
    Thr *thr = enter();
    if (thr) {
        PyObject *frame = (PyObject *)PyEval_GetFrame();
        Rec *r = frame ? map_get(&RECS, frame) : NULL;
        int line = (int)PyLong_AsLong(args[1]);
        if (r && r->code != args[0]) {
            end_rec(r);
            r = NULL;
        }
        if (r) {
            r->line = line;
            r->thr = thr;
            r->is_live = 1;
            moment(thr, r, LINE);
            compare_locals(r);
        }
        else if (frame && (r = meet_frame(frame, args[0], 1))) {
            r->line = line;
            moment(thr, r, LINE);
            compare_locals(r);
        }
        leave(thr);
    }
    END_GUARDED
}

static void left(int kind, u64 key, PyObject *code, PyObject *value)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    if (!frame || !is_on || !map_get(&RECS, frame)) return;
    Thr *thr = enter();
    Rec *r = map_get(&RECS, frame);
    if (r && r->code != code) {
        end_rec(r);
        r = NULL;
    }
    if (thr) {
        if (r) {
            r->thr = thr;
            r->is_live = 1;
            moment(thr, r, kind);
            compare_locals(r);
            u64 num = token(row(r->number, key), value);
            Known *k = is_number(num) ? map_get(&KNOWN, value) : NULL;
            if (k) k->passed = when_;
            k = r->info->n && is_number(r->num[0]) ? map_get(&KNOWN, r->ptr[0]) : NULL;
            if (k) k->passed = when_; /* what __init__ has made */
        }
        leave(thr);
        r = map_get(&RECS, frame);
    }
    if (r && r->code == code) { /* its end is noted in any case */
        if (kind == RETURN || kind == UNWIND) end_rec(r);
        if (kind == YIELD) r->is_live = 0;
    }
}

#define LEAVING(name, kind, key)                                                        \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t n)          \
    {                                                                                   \
        GUARDED                                                                         \
        if (n == 3) left(kind, key, args[0], args[2]);                                  \
        END_GUARDED                                                                     \
    }
LEAVING(on_return, RETURN, RETURNED)
LEAVING(on_yield, YIELD, RETURNED)
LEAVING(on_raise, RAISE, RAISED)
LEAVING(on_unwind, UNWIND, RAISED)

static PyObject *on_resume(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    GUARDED
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    Thr *thr = frame && is_on && n && map_get(&RECS, frame) ? enter() : NULL;
    Rec *r = thr ? map_get(&RECS, frame) : NULL, *parent;
    if (thr && (!r || r->code != args[0])) {
        if (r) end_rec(r);
        leave(thr);
        thr = NULL;
    }
    if (thr) {
        Info *info;
        r->thr = thr;
        r->is_live = r->is_resumed = 1;
        moment(thr, r, RESUME);
        PyObject *above = around(frame, &parent, &info);
        if (above && !parent) {
            PyObject *code = PyObject_GetAttrString(above, "f_code");
            if (code) {
                parent = meet_frame(above, code, 1);
                Py_DECREF(code);
                if (parent) {
                    parent->line = line_of(above);
                    compare_locals(parent);
                }
            }
        }
        else if (parent)
            compare_locals(parent);
        if (above) give_back(above);
        Buf *b = row(r->number, PARENT);
        puts_(b, "[\"t\", [");
        put_number(b, parent ? (long long)parent->number : 0);
        puts_(b, ", ");
        put_number(b, parent ? parent->line : 0);
        puts_(b, "]]");
        compare_locals(r);
        leave(thr);
    }
    END_GUARDED
}

static PyObject *on_start(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    Rec *r = frame ? map_get(&RECS, frame) : NULL;
    if (r) end_rec(r); /* of a generator that was closed before its end, and had its frame there */
    if (n < 2 || (has_tracer && map_get(&STARTED, args[0]))) Py_RETURN_NONE;
    PyObject *done = ASK(py.start, args[0], args[1]);
    if (!done) {
        note_failure();
        Py_RETURN_NONE;
    }
    if (done == Py_None) map_set(&STARTED, args[0], (void *)1);
    return done;
}

/* For the Python parts */

static PyObject *next_number(PyObject *self, PyObject *unused) { return PyLong_FromUnsignedLongLong(++numbers); }
static PyObject *state(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("KKnn", (unsigned long long)now_, (unsigned long long)failed_, (Py_ssize_t)KNOWN.used, (Py_ssize_t)n_reg);
}

static PyObject *take_col(Col *c)
{
    PyObject *bytes = PyBytes_FromStringAndSize((char *)c->p, (Py_ssize_t)(c->n * sizeof(u64)));
    c->n = 0;
    return bytes;
}

static PyObject *take_buf(Buf *b)
{
    PyObject *bytes = PyBytes_FromStringAndSize(b->p, (Py_ssize_t)b->n);
    b->n = 0;
    return bytes;
}

static PyObject *thread_ids(PyObject *self, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && THREADS.k && i <= THREADS.mask; i++)
        if (THREADS.v[i]) {
            PyObject *id = PyLong_FromUnsignedLongLong(((Thr *)THREADS.v[i])->ident);
            if (id) PyList_Append(list, id);
            Py_XDECREF(id);
        }
    return list;
}

/* (number, frames, objects, values, times, wheres, whens, owners, keys) of a thread; None while it is busy. */
static PyObject *take(PyObject *self, PyObject *args)
{
    unsigned long long id;
    int is_own;
    if (!PyArg_ParseTuple(args, "Kp", &id, &is_own)) return NULL;
    Thr *t = thread_of(id);
    if (!t || (t->busy == 1 && !is_own)) Py_RETURN_NONE;
    return Py_BuildValue("lNNNNNNNN", t->number, take_buf(&t->frames), take_buf(&t->objects), take_buf(&t->values),
        take_col(&t->times), take_col(&t->wheres), take_col(&t->whens), take_col(&t->owners), take_col(&t->keys));
}

static PyObject *here(PyObject *self, PyObject *unused)
{
    Thr *t = thread_of(PyThread_get_thread_ident());
    return PyLong_FromLong(t ? t->number : -1);
}

/* hold(frame, is_under_way): the calling thread stands in a frame of the person's own, or in none. */
static PyObject *hold(PyObject *self, PyObject *args)
{
    PyObject *frame;
    int is_under_way;
    if (!PyArg_ParseTuple(args, "Op", &frame, &is_under_way)) return NULL;
    if (frame != Py_None && is_under_way) {
        int line = line_of(frame);
        Rec *r = map_get(&RECS, frame);
        if (!r || !r->has_begun || r->line != line) {
            PyObject *code = PyObject_GetAttrString(frame, "f_code");
            Thr *thr = enter();
            if (!thr) {
                Py_XDECREF(code);
                Py_RETURN_FALSE;
            }
            if (!r && code) r = meet_frame(frame, code, 1);
            Py_XDECREF(code);
            if (r) {
                r->line = line;
                moment(thr, r, LINE);
                compare_locals(r);
            }
            leave(thr);
        }
    }
    Thr *thr = thread_now();
    if (thr->busy) Py_RETURN_FALSE;
    thr->busy = 2;
    Py_RETURN_TRUE;
}

/* What somebody has set meanwhile is seen from the next moment on. */
static PyObject *release(PyObject *self, PyObject *frame)
{
    Thr *thr = thread_of(PyThread_get_thread_ident());
    if (!thr || !is_on) Py_RETURN_NONE;
    thr->busy = 0;
    if (!enter()) Py_RETURN_NONE;
    while (frame && frame != Py_None) {
        Rec *r = map_get(&RECS, frame);
        if (r) compare_locals_of(r, 1);
        frame = frame_back(frame);
        Py_XDECREF(frame); /* it is on the stack */
    }
    drain();
    sweep(1);
    leave(thr);
    now_--; /* it was no moment of its own */
    Py_RETURN_NONE;
}

/* Where another thread stands as the recording begins. */
static PyObject *note_present(PyObject *self, PyObject *args)
{
    PyObject *frame;
    unsigned long long id;
    long number;
    if (!PyArg_ParseTuple(args, "KlO", &id, &number, &frame)) return NULL;
    Thr *thr = thread_of(id);
    if (!thr) thr = add_thread(id);
    if (thr->number < 0) {
        thr->number = number;
        thr->full = now_ + SEGMENT;
    }
    if (thr->busy || core_busy) Py_RETURN_NONE;
    thr->busy = core_busy = 1;
    stretch++;
    cur = thr;
    when_ = ++now_;
    met = 0;
    PyObject *code = PyObject_GetAttrString(frame, "f_code");
    Rec *r = map_get(&RECS, frame);
    if (!r && code) r = meet_frame(frame, code, 0); /* it may have ended already: it is live from its next event on */
    Py_XDECREF(code);
    if (r) {
        r->line = line_of(frame);
        moment(thr, r, LINE);
        compare_locals_of(r, 1);
    }
    leave(thr);
    Py_RETURN_NONE;
}

static PyObject *sweep_all(PyObject *self, PyObject *unused)
{
    GUARDED
    Thr *thr = enter();
    if (thr) {
        drain();
        sweep(1);
        if (n_lost) search_lost();
        leave(thr);
    }
    END_GUARDED
}

/* All that is known of the program goes; ``is_all``: the names as well; ``is_anew``: what was not taken yet. */
static void forget_now(int is_all, int is_anew)
{
    int was = core_busy;
    forget_later = 0;
    core_busy = 1; /* so that nothing is freed before the end */
    stretch++;
    while (n_queue) {
        PyObject *op = QUEUE[--n_queue]->ptr;
        QUEUE[n_queue]->is_queued = 0;
        give_back(op);
    }
    n_dirty = n_later = n_lost = at_reg = 0;
    for (size_t i = 0; RECS.k && i <= RECS.mask; i++)
        if (RECS.v[i]) end_rec(RECS.v[i]);
    map_clear(&RECS);
    for (size_t i = 0; KNOWN.k && i <= KNOWN.mask; i++)
        if (KNOWN.v[i]) {
            Known *k = KNOWN.v[i];
            KNOWN.v[i] = NULL;
            if (k->dict && dict_unwatch(watcher, k->dict) < 0) PyErr_Clear();
            k->is_dirty = k->is_queued = 0;
            end_known(k);
        }
    map_clear(&KNOWN);
    for (size_t i = 0; SPACES.k && i <= SPACES.mask; i++)
        if (SPACES.v[i]) {
            Known *k = SPACES.v[i];
            SPACES.v[i] = NULL;
            if (dict_unwatch(watcher, k->ptr) < 0) PyErr_Clear();
            end_known(k);
        }
    map_clear(&SPACES);
    map_clear(&INFOS);
    map_clear(&WATCHED);
    Map *tables[] = {&KEYS, &NAMES};
    for (int t = 0; t < (is_all ? 2 : 1); t++) {
        Map old = *tables[t];
        memset(tables[t], 0, sizeof(Map));
        for (size_t i = 0; old.k && i <= old.mask; i++)
            if (old.k[i] && old.k[i] != (void *)1) Py_DECREF((PyObject *)old.k[i]);
        map_clear(&old);
    }
    if (is_all) {
        map_clear(&KINDS);
        map_clear(&STARTED);
    }
    for (size_t i = 0; (is_all || is_anew) && THREADS.k && i <= THREADS.mask; i++) {
        Thr *t = THREADS.v[i];
        if (!t) continue;
        t->number = -1;
        t->times.n = t->wheres.n = t->whens.n = t->owners.n = t->keys.n = 0;
        t->values.n = t->frames.n = t->objects.n = 0;
        if (is_all) t->busy = 0;
    }
    bury();
    core_busy = was;
}

/* While somebody is in the midst of a look, as in another thread, it is done behind that. */
static PyObject *forget(PyObject *self, PyObject *args)
{
    int is_all, is_anew;
    if (!PyArg_ParseTuple(args, "pp", &is_all, &is_anew)) return NULL;
    if (core_busy)
        forget_later |= 1 | (is_all ? 2 : 0) | (is_anew ? 4 : 0);
    else
        forget_now(is_all, is_anew);
    Py_RETURN_NONE;
}

static PyObject *end(PyObject *self, PyObject *unused)
{
    void *data;
    is_on = 0;
    if (has_tracer && get_tracer(&data) == (void *)on_object) set_tracer(NULL, NULL);
    Py_RETURN_NONE;
}

/* The start: does all stand where it is looked for? */

static int seen_events;
static int try_dict(int event, PyObject *dict, PyObject *key, PyObject *value)
{
    seen_events++;
    return 0;
}
static int seen_ends;
static int try_end(PyObject *op, int event, void *data)
{
    if (event == 1 && Py_TYPE(op) == &PyList_Type) seen_ends++;
    return 0;
}

#define NEED(where, name)                              \
    *(void **)&where = dlsym(RTLD_DEFAULT, name);      \
    if (!where) return PyUnicode_FromString("this Python lacks " name)

#define FAIL(text) return PyUnicode_FromString(text)

/* begin(functions, probe): probe = (frame, values of its variables, list, set, deque, object, setter, code, function) */
static PyObject *begin(PyObject *self, PyObject *args)
{
    PyObject *functions, *frame, *values, *list, *set, *deque, *object, *setter, *code, *builtin, *cell, *dropper;
    if (!PyArg_ParseTuple(args, "O!(OO!OOOOOOOOO)", &PyDict_Type, &functions, &frame, &PyTuple_Type, &values, &list, &set, &deque,
            &object, &setter, &code, &builtin, &cell, &dropper))
        return NULL;
    NEED(dict_add_watcher, "PyDict_AddWatcher");
    NEED(dict_watch, "PyDict_Watch");
    NEED(dict_unwatch, "PyDict_Unwatch");
    NEED(dict_clear_watcher, "PyDict_ClearWatcher");
    *(void **)&set_tracer = dlsym(RTLD_DEFAULT, "PyRefTracer_SetTracer");
    *(void **)&get_tracer = dlsym(RTLD_DEFAULT, "PyRefTracer_GetTracer");
    NEED(closure_of, "PyFunction_GetClosure");
    NEED(frame_back, "PyFrame_GetBack");
    NEED(frame_globals, "PyFrame_GetGlobals");
    NEED(frame_locals, "PyFrame_GetLocals");
    code_type = Py_TYPE(code);
    frame_type = Py_TYPE(frame);
    function_type = Py_TYPE(setter);
    builtin_type = Py_TYPE(builtin);
    cell_type = Py_TYPE(cell);
    const int one = 1;
    if (!*(const char *)&one) FAIL("numbers are not as expected");
    PyObject *reference = PyWeakref_NewRef((PyObject *)Py_TYPE(object), NULL);
    if (!reference || REFERRED(reference) != (PyObject *)Py_TYPE(object)) {
        PyErr_Clear();
        FAIL("weak references are not as expected");
    }
    Py_DECREF(reference);
    interpreter = PyInterpreterState_Get();
    last_state = NULL;
    void *data;
    has_tracer = set_tracer && get_tracer && !get_tracer(&data);
    if (Py_Version < 0x030e0000 || !has_tracer) FAIL("this Python does not tell of the end of each object");
    /* frames */
    Py_ssize_t n = PyTuple_Size(values);
    char *inner = *(char **)((char *)frame + 24);
    off_locals = 0;
    for (size_t at = 48; at <= 120 && !off_locals; at += 8) {
        Py_ssize_t i = 0;
        while (i < n && ((*(uintptr_t *)(inner + at + 8 * (size_t)i)) & ~(uintptr_t)3) == (uintptr_t)PyTuple_GetItem(values, i)) i++;
        if (i == n) off_locals = at;
    }
    if (!off_locals || n < 3) FAIL("frames are not as expected");
    if (*(PyObject **)((char *)cell + 16) != PyTuple_GetItem(values, 0)) FAIL("cells are not as expected");
    /* lists: their first items are the values; sets and deques have 3 and 70 of them */
    if (LIST_SIZE(list) != n || memcmp(LIST_ITEMS(list), &LIST_ITEMS(list)[0], 8) || LIST_ITEMS(list)[2] != PyTuple_GetItem(values, 2))
        FAIL("lists are not as expected");
    PyObject *items[MOST_ITEMS];
    set_dummy = NULL;
    if (SET_USED(set) != PySet_Size(set) || SET_FILL(set) != SET_USED(set) + 1) FAIL("sets are not as expected");
    for (Py_ssize_t i = 0; i <= SET_MASK(set); i++) { /* one was removed: what stands in its place is no item */
        PyObject *key = SET_TABLE(set)[2 * i];
        if (key && Py_TYPE(key) != &PyLong_Type) set_dummy = key;
    }
    if (!set_dummy || take_set(set, items) != SET_USED(set)) FAIL("sets are not as expected");
    if (take_deque(deque, items) != 70 || items[0] != PyTuple_GetItem(values, 0) || items[69] != PyTuple_GetItem(values, 1))
        FAIL("deques are not as expected");
    /* an object's attributes, told by its dict */
    int trial = dict_add_watcher(try_dict);
    if (trial < 0) {
        PyErr_Clear();
        FAIL("the program watches as many dicts as there can be");
    }
    has_watcher = inline_trick = 0;
    for (int round = 0; round < 2 && !has_watcher; round++) {
        PyObject *dict = PyObject_GenericGetDict(object, NULL);
        if (!dict) break;
        Py_DECREF(dict);
        if (round) force_dict(dict);
        dict_watch(trial, dict);
        seen_events = 0;
        int told = 1;
        for (int i = 0; i < 20 && told; i++) {
            int before = seen_events;
            PyObject *done = PyObject_CallFunction(setter, "Oi", object, i + 1000);
            Py_XDECREF(done);
            told = seen_events > before;
        }
        if (told) {
            has_watcher = 1;
            inline_trick = round;
        }
        dict_unwatch(trial, dict);
    }
    PyErr_Clear();
    dict_clear_watcher(trial);
    if (has_tracer) { /* a function of Python's drops lists: is each end told? */
        set_tracer(try_end, NULL);
        seen_ends = 0;
        PyObject *done = PyObject_CallFunction(dropper, "i", 20);
        set_tracer(NULL, NULL);
        Py_XDECREF(done);
        PyErr_Clear();
        has_tracer = seen_ends >= 60;
    }
    if (!has_tracer) FAIL("this Python does not tell of the end of each object");
    if (watcher < 0) watcher = dict_add_watcher(on_dict);
    if (watcher < 0) {
        PyErr_Clear();
        FAIL("the program watches as many dicts as there can be");
    }
    const char *names[] = {"kind", "text", "leaf", "number_of", "key_number", "info", "is_own", "space", "meet_thread", "seal", "start",
        "failure", "disable", "ordered", "arguments", "content"};
    PyObject **places = (PyObject **)&py;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *found = PyDict_GetItemString(functions, names[i]);
        if (!found) return PyErr_Format(PyExc_KeyError, "%s", names[i]);
        Py_INCREF(found);
        Py_XDECREF(places[i]);
        places[i] = found;
    }
    for (int i = 0; core_busy; i++) { /* of the recording before: a thread is in the midst of its last look */
        Py_BEGIN_ALLOW_THREADS
        pause_shortly();
        Py_END_ALLOW_THREADS
        if (i > 20000) FAIL("the recording before has not ended yet");
    }
    forget_now(1, 1);
    now_ = failed_ = 0;
    next_search = 0;
    most_known = 20000;
    if (has_tracer) set_tracer(on_object, NULL);
    is_on = 1;
    return PyUnicode_FromString("");
}

static PyMethodDef METHODS[] = {
    {"begin", begin, METH_VARARGS, NULL},
    {"end", end, METH_NOARGS, NULL},
    {"forget", forget, METH_VARARGS, NULL},
    {"line", (PyCFunction)(void (*)(void))on_line, METH_FASTCALL, NULL},
    {"start", (PyCFunction)(void (*)(void))on_start, METH_FASTCALL, NULL},
    {"returned", (PyCFunction)(void (*)(void))on_return, METH_FASTCALL, NULL},
    {"yielded", (PyCFunction)(void (*)(void))on_yield, METH_FASTCALL, NULL},
    {"raised", (PyCFunction)(void (*)(void))on_raise, METH_FASTCALL, NULL},
    {"unwound", (PyCFunction)(void (*)(void))on_unwind, METH_FASTCALL, NULL},
    {"resumed", (PyCFunction)(void (*)(void))on_resume, METH_FASTCALL, NULL},
    {"next_number", next_number, METH_NOARGS, NULL},
    {"state", state, METH_NOARGS, NULL},
    {"thread_ids", thread_ids, METH_NOARGS, NULL},
    {"take", take, METH_VARARGS, NULL},
    {"here", here, METH_NOARGS, NULL},
    {"hold", hold, METH_VARARGS, NULL},
    {"release", release, METH_O, NULL},
    {"note_present", note_present, METH_VARARGS, NULL},
    {"sweep_all", sweep_all, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot SLOTS[] = {{0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_recorder", NULL, 0, METHODS, SLOTS, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__recorder(void) { return PyModuleDef_Init(&MODULE); }
