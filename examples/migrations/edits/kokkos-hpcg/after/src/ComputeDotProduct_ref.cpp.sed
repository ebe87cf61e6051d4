# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/^#include <Kokkos_Core.hpp>/s/.*/#include <acc\/acc.hpp>/
/class Dotproduct/,/^	};/d
/double local_result = 0.0;/,/parallel_reduce/c\
	const auto range = std::make_pair(0, n);\
	const double local_result = acc::dot(Kokkos::subview(x.values, range), Kokkos::subview(y.values, range));
