# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
25a\
#include <acc/mpi.hpp>\
#include <acc/reducers.hpp>\
#include <array>
34,130d
169,206c\
  using exact_sum = acc::superaccumulator<double>;\
  std::array<exact_sum, 5> sums;\
  for (int tile = 0; tile < globals.tiles_per_chunk; ++tile) {\
    const auto& t = globals.chunk.tiles[tile];\
    const auto field = t.field;\
    const int x_min = t.t_xmin, y_min = t.t_ymin, columns = t.t_xmax - x_min + 1;\
    // One sum in each kernel: on GPUs Kokkos has 48 KiB of shared memory for the accumulators of 34 threads.\
    for (int s = 0; s < 5; ++s) {\
      exact_sum of_tile;\
      Kokkos::parallel_reduce(\
          "field_summary", columns * (t.t_ymax - y_min + 1),\
          KOKKOS_LAMBDA(int i, exact_sum& sum) {\
            const int j = x_min + 1 + i % columns, k = y_min + 1 + i / columns;\
            double vsqrd = 0.0;\
            for (int kv = k; s == 3 && kv <= k + 1; ++kv)\
              for (int jv = j; jv <= j + 1; ++jv) {\
                const double u = field.xvel0(jv, kv), v = field.yvel0(jv, kv);\
                vsqrd += 0.25 * (u * u + v * v);\
              }\
            const double cell_vol = field.volume(j, k), cell_mass = cell_vol * field.density0(j, k);\
            if (s == 0) sum += cell_vol;\
            if (s == 1) sum += cell_mass;\
            if (s == 2) sum.add_product(cell_mass, field.energy0(j, k));\
            if (s == 3) sum.add_product(cell_mass * 0.5, vsqrd);\
            if (s == 4) sum.add_product(cell_vol, field.pressure(j, k));\
          },\
          acc::ExactSum<double>(of_tile));\
      sums[s] += of_tile;\
    }\
  }\
  acc::mpi::all_reduce(MPI_COMM_WORLD, sums);\
  const double vol = sums[0].value(), mass = sums[1].value(), ie = sums[2].value(), ke = sums[3].value(),\
               press = sums[4].value();
