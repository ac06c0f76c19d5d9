int nd_dummy_mpi(void); int nd_dummy_mpi(void) { return 0; }
