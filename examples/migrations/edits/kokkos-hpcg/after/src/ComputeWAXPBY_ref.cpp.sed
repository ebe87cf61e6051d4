# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/^#include <Kokkos_Core.hpp>/s/.*/#include <acc\/acc.hpp>/
/class Waxpby/,/^int ComputeWAXPBY_ref/{/^int ComputeWAXPBY_ref/!d}
/double_1d_type xv = x.values;/,/^			/c\
	const auto range = std::make_pair(0, n);\
	acc::update(alpha, Kokkos::subview(x.values, range), beta, Kokkos::subview(y.values, range), 0.0,\
		Kokkos::subview(w.values, range));
