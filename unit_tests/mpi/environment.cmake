# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# More ranks than cores, as root and without ssh: in the environment, since each MPI's mpiexec has
# options of its own and leaves variables alone that are not its own. OMPI_: Open MPI 4, PRTE_: 5.
set(acc_mpi_environment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    # several tests run at once: none may bind its ranks to the first cores
    OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
    OMPI_MCA_plm_rsh_agent=/bin/false PRTE_MCA_plm_ssh_agent=/bin/false
    OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_mpi_yield_when_idle=1
    OMP_NUM_THREADS=1 OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
