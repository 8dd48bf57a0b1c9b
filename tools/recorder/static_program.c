/* What the recorder cannot see. */

int main(void) { return 0; }
