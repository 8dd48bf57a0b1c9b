// The child process that measures. It reads requests from its standard input,
// a line each, and answers each with one line, so that whoever started it can
// alternate two of them in short batches.
//
//   cpus 0,1          copier k of a cell runs on the k-th; this process moves
//                     to the first                          -> "ok"
//   seed N            for the offsets of the cells that follow     -> "ok"
//   libc              call the memcpy and memset of this process   -> "ok"
//   variants TREE COPY SET   call two variants that were built in ("-": none)
//                                                           -> "ok"
//   routines TREE,COPY,SET ...  the same, a word for each side: two trees, or
//                     two variants, against each other      -> "ok"
//   parameters A ...  the side's tree's variables, a word for each side of a
//                     comparison (parameters_text.h)        -> "ok"
//   cell CELL         fresh buffers for it (cell.h)         -> "ok"
//   warm SIDE         one call on each of the cell's buffers -> "ok"
//   calls SIDE CYCLES how many calls fill so many cycles    -> "ok N"
//   run SIDE CALLS    one batch                             -> "ok CYCLES"
//   pairs A B CALLS N N pairs of batches, the two sides of each in random order
//                     -> "ok CYCLES_A CYCLES_B RATIO ...", the median cycles a
//                     call of both, and log(B / A) of each pair
//   watch             "ok TICKS MOVES": ticks of the time stamp counter for one
//                     of many dependent rotations, and how often a batch ended
//                     on another CPU than the one before
//   chase BYTES       memory for working sets of up to so many bytes
//                     (pointer_chase.h)   -> "ok 1" in huge pages, else "ok 0"
//   latency BYTES LOADS  a chase through so many bytes    -> "ok CYCLES", a
//   load flushed BYTES LOADS  the same, evicted from the caches before
//                     -> "ok CYCLES"
//
// Anything that cannot be done is answered with "error REASON". The end of the
// input ends the process.

#ifndef KERNELS_MEASURE_WORKER_H_
#define KERNELS_MEASURE_WORKER_H_

#include <iosfwd>

namespace kernels {

// Serves until `in` ends. Returns an exit status.
int ServeWorker(std::istream& in, std::ostream& out);

}  // namespace kernels

#endif  // KERNELS_MEASURE_WORKER_H_
