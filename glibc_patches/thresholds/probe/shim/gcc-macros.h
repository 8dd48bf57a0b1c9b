/* glibc's build makes it from the ISA level that gcc targets: none here.  */
