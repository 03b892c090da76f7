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

@cython.final
cdef class NumberColumn:
    cdef const unsigned char[::1] small
    cdef const long long[::1] large
    cdef bint marked  # whether there are large ones
    cdef long long next  # how many numbers of 255 or more come before the one that is read next
    cdef Pages pages

    cdef long long read(self, long long place) noexcept

@cython.final
cdef class Blocks:
    cdef unsigned char[::1] counts  # the number of postings
    cdef long long[::1] starts  # the first bit
    cdef int[::1] before  # the last document of the block before; -1 in the first block of a term
    cdef unsigned char[::1] tf_bits
    cdef unsigned char[::1] gap_bits
    cdef int[::1] highest_tf
    cdef int[::1] last_docs
    cdef int[::1] least_dl  # no document is shorter
    cdef readonly long long n
    cdef readonly list arrays  # of these columns

@cython.final
cdef class TermBlocks:
    cdef const long long[:, ::1] groups  # (n_groups + 1, 5) `posting_blocks.starts_of_groups`
    cdef long long group  # terms in a group
    cdef long long n_terms
    cdef long long n_docs
    cdef long long n_blocks
    cdef long long n_bits
    cdef const unsigned char[::1] gap_bits
    cdef const int[::1] last_docs
    cdef const int[::1] least_dl  # empty if they are bytes
    cdef const unsigned char[::1] least_bytes  # 255 stands for 255 or more
    # of the term that was found last
    cdef long long df_found
    cdef long long first_block
    cdef long long first_bit
    cdef long long large_before  # the number of large frequencies before its blocks
    # of each term of the group that was read last
    cdef long long group_read  # its number; -1 before one has been read
    cdef long long[::1] df_read
    cdef long long[::1] block_read
    cdef long long[::1] bit_read
    cdef long long[::1] large_read
    cdef NumberColumn df
    cdef NumberColumn highest_tf
    cdef Pages gap_pages
    cdef Pages last_pages
    cdef Pages least_pages
    cdef Pages word_pages

    cpdef long long count(self, long long term, long long group) except? -1
    cpdef long long add(self, Blocks to, long long term, long long group) except? -1
    cdef int enter_group(self, long long term) except? -1
    cdef int read_df(self, long long term) noexcept
    cdef int find_blocks(self, long long term) except? -1
    cdef int read_group(self, long long g) except? -1
    cdef long long fill(self, Blocks to, long long start) except? -1
