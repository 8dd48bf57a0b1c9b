/* What the kernel tells a program about CET, in a build with CET.  */

#ifndef PROBE_DL_CET_H
#define PROBE_DL_CET_H

static inline unsigned int get_cet_status(void) { return PROBE_CET; }

#endif
