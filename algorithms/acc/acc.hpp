// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ACC_HPP
#define ACC_ACC_HPP

/// \file
/// All of acc.

#include <acc/abs.hpp>
#include <acc/accumulate.hpp>
#include <acc/accumulate_gemm.hpp>
#include <acc/along.hpp>
#include <acc/asum.hpp>
#include <acc/axpby.hpp>
#include <acc/batched_gemm.hpp>
#include <acc/certificate.hpp>
#include <acc/core/atomic_add.hpp>
#include <acc/core/eft.hpp>
#include <acc/dot.hpp>
#include <acc/fill.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>
#include <acc/iamax.hpp>
#include <acc/inclusive_scan.hpp>
#include <acc/mult.hpp>
#include <acc/prefix_sum.hpp>
#include <acc/ngemm.hpp>
#include <acc/nrm2.hpp>
#include <acc/nrminf.hpp>
#include <acc/print_configuration.hpp>
#include <acc/reciprocal.hpp>
#include <acc/reducers.hpp>
#include <acc/rot.hpp>
#include <acc/scal.hpp>
#include <acc/scatter_sum.hpp>
#include <acc/segmented_sum.hpp>
#include <acc/spmv.hpp>
#include <acc/statistics.hpp>
#include <acc/sum.hpp>
#include <acc/sum_by_index.hpp>
#include <acc/sum_by_key.hpp>
#include <acc/swap.hpp>
#include <acc/team.hpp>
#include <acc/update.hpp>

#endif
