# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5, which has no CrsMatrix: it went to Kokkos Kernels
/Kokkos_Sparse.hpp/d
63,64c\
template <class Index>\
struct crs_matrix {\
	typedef double_1d_type values_type;\
	typedef Kokkos::View<Index *> index_type;\
	typedef Kokkos::View<const size_t *> row_map_type;\
	struct StaticCrsGraphType {\
		typedef index_type entries_type;\
		row_map_type row_map;\
		entries_type entries;\
	} graph;\
	values_type values;\
	Index rows = 0, columns = 0;\
	crs_matrix() = default;\
	crs_matrix(const char *, Index rows_, Index columns_, size_t, values_type values_, row_map_type map, index_type entries):\
		graph{map, entries}, values(values_), rows(rows_), columns(columns_) {}\
	KOKKOS_INLINE_FUNCTION Index numRows() const { return rows; }\
	KOKKOS_INLINE_FUNCTION Index numCols() const { return columns; }\
};\
typedef crs_matrix<local_int_t> local_matrix_type;\
typedef crs_matrix<global_int_t> global_matrix_type;
71,72c\
typedef Kokkos::View<size_t *> non_const_row_map_type;
74d
79d
s/HostMirror/host_mirror_type/g
