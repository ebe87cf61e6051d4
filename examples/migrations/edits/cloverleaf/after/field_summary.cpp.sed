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
    std::array<exact_sum, 5> of_tile;\
    Kokkos::parallel_reduce(\
        "field_summary", columns * (t.t_ymax - y_min + 1),\
        KOKKOS_LAMBDA(int i, exact_sum& vol, exact_sum& mass, exact_sum& ie, exact_sum& ke, exact_sum& press) {\
          const int j = x_min + 1 + i % columns, k = y_min + 1 + i / columns;\
          double vsqrd = 0.0;\
          for (int kv = k; kv <= k + 1; ++kv)\
            for (int jv = j; jv <= j + 1; ++jv) {\
              const double u = field.xvel0(jv, kv), v = field.yvel0(jv, kv);\
              vsqrd += 0.25 * (u * u + v * v);\
            }\
          const double cell_vol = field.volume(j, k), cell_mass = cell_vol * field.density0(j, k);\
          vol += cell_vol;\
          mass += cell_mass;\
          ie.add_product(cell_mass, field.energy0(j, k));\
          ke.add_product(cell_mass * 0.5, vsqrd);\
          press.add_product(cell_vol, field.pressure(j, k));\
        },\
        acc::ExactSum<double>(of_tile[0]), acc::ExactSum<double>(of_tile[1]), acc::ExactSum<double>(of_tile[2]),\
        acc::ExactSum<double>(of_tile[3]), acc::ExactSum<double>(of_tile[4]));\
    for (int s = 0; s < 5; ++s) sums[s] += of_tile[s];\
  }\
  acc::mpi::all_reduce(MPI_COMM_WORLD, sums);\
  const double vol = sums[0].value(), mass = sums[1].value(), ie = sums[2].value(), ke = sums[3].value(),\
               press = sums[4].value();
