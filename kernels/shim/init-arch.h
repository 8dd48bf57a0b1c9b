// Included by memset-sse2-unaligned-erms.S up to 2.28, which uses none of it;
// glibc's own needs generated headers.
