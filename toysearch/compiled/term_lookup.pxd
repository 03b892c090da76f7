# What other loops use of term_lookup.py.

cimport cython

cdef long long bit_length(long long number) noexcept nogil

cdef long long read_documents(
    const unsigned int[::1] words,
    unsigned long long position,
    long long width,
    long long before,
    int[::1] docs,
    Py_ssize_t first,
    long long n,
) noexcept nogil

@cython.final
cdef class Pages:
    cdef object paged
    cdef object content  # the bytes of the file
    cdef unsigned char[::1] right  # whether each page is verified
    cdef const unsigned int[::1] sums  # the checksum of each page
    cdef long long offset  # the byte where the numbers begin
    cdef long long width  # bytes of a number
    cdef long long shift  # a page has 1 << shift bytes

    cdef int need(self, long long start, long long stop) except -1 nogil
    cdef int verify(self, long long page) except -1
