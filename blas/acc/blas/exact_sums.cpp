// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sums.hpp"

#include <acc/accumulate.hpp>
#include <acc/core/exact/wire.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace acc::blas {
namespace {

/// What add(exec, sum) puts into an empty sum of the execution space's memory.
template <class T, class Exec, class Add>
superaccumulator<T> gather(const Exec& exec, const Add& add) {
  using sum_type = superaccumulator<T>;
  sum_type sum;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    add(exec, Kokkos::View<sum_type, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&sum));
    exec.fence("acc::blas: the sum is there");
  } else {
    const Kokkos::View<sum_type, typename Exec::memory_space> there(
        Kokkos::view_alloc(exec, "acc::blas: exact sum"));
    add(exec, there);
    Kokkos::deep_copy(exec, sum, there);
    exec.fence("acc::blas: the sum is there");
  }
  return sum;
}

template <class T>
struct gather_sum {
  superaccumulator<T> operator()(const auto& exec, const auto& x) const {
    return gather<T>(exec, [&](const auto& e, const auto& sum) { accumulate(e, sum, x); });
  }
};
template <class T>
struct gather_dot {
  superaccumulator<T> operator()(const auto& exec, const auto& x, const auto& y) const {
    return gather<T>(exec, [&](const auto& e, const auto& sum) { accumulate_dot(e, sum, x, y); });
  }
};

/// The same sum among doubles. The units of both are limbs of 32 bits apart, so limb by limb.
superaccumulator<double> widened(const superaccumulator<float>& s) {
  using narrow = superaccumulator<float>;
  std::int64_t words[narrow::wire_words];
  s.to_wire(words);
  superaccumulator<double> sum;
  for (int i = 0; i < narrow::limbs; ++i)
    sum.add_integer(words[narrow::wire_words - narrow::limbs + i], narrow::unit_exponent + 32 * i);
  sum.add_kinds(s.kinds());
  return sum;
}
const superaccumulator<double>& widened(const superaccumulator<double>& s) { return s; }

void round_to(const superaccumulator<double>& s, double& value) { value = s.value(); }
/// Rounded to odd first: of a sum that is no double, the last bit of the double below is set. So no
/// tie of floats comes of the first rounding, and the second one is that of the exact sum.
void round_to(const superaccumulator<double>& s, float& value) {
  double below = s.value(rounding::toward_zero);
  if (std::isfinite(below)) {
    superaccumulator<double> rest = s;
    rest.add(-below);
    if (compare(rest, superaccumulator<double>()) != 0)
      below = std::bit_cast<double>(std::bit_cast<std::uint64_t>(below) | 1);
  }
  value = static_cast<float>(below);
}

std::int64_t count(const acc_exact_sums& sums) {
  return static_cast<std::int64_t>(sums.sum.size());
}

superaccumulator<double>& sum_at(acc_exact_sums* sums, std::int64_t i) {
  need("sums", sums);
  if (i < 0 || i >= count(*sums))
    throw std::invalid_argument("i is " + std::to_string(i) + ", but the number of sums is " +
                                std::to_string(count(*sums)));
  return sums->sum[static_cast<std::size_t>(i)];
}

constexpr std::int64_t words_of_a_sum = superaccumulator<double>::wire_words;
std::int64_t wire_words(const acc_exact_sums& sums) { return words_of_a_sum * count(sums); }

void check_wire(const acc_exact_sums* sums, std::int64_t n, const std::int64_t* words) {
  need("sums", sums);
  if (n != wire_words(*sums))
    throw std::invalid_argument("n is " + std::to_string(n) + ", but the wire form of " +
                                std::to_string(count(*sums)) + " sums has " +
                                std::to_string(wire_words(*sums)) + " words");
  if (n > 0) need("words", words);
}

template <class T>
void write_values(const acc_exact_sums* sums, T* values) {
  need("sums", sums);
  if (count(*sums) > 0) need("values", values);
  for (const superaccumulator<double>& s : sums->sum) round_to(s, *values++);
}

}  // namespace

template <class T>
superaccumulator<T> exact_sum(std::int64_t n, const vector<T>& x) {
  superaccumulator<T> sum;
  reduce<gather_sum<T>>(n, &sum, x);
  return sum;
}
template <class T>
superaccumulator<T> exact_dot(std::int64_t n, const vector<T>& x, const vector<T>& y) {
  superaccumulator<T> sum;
  reduce<gather_dot<T>>(n, &sum, x, y);
  return sum;
}
template superaccumulator<float> exact_sum(std::int64_t n, const vector<float>& x);
template superaccumulator<double> exact_sum(std::int64_t n, const vector<double>& x);
template superaccumulator<float> exact_dot(std::int64_t n, const vector<float>& x,
                                           const vector<float>& y);
template superaccumulator<double> exact_dot(std::int64_t n, const vector<double>& x,
                                            const vector<double>& y);

}  // namespace acc::blas

int acc_exact_sums_create(std::int64_t m, acc_exact_sums** sums) {
  using namespace acc::blas;
  return guarded("acc_exact_sums_create", [&] {
    if (m < 0) throw std::invalid_argument("m is " + std::to_string(m));
    need("sums", sums);
    *sums =
        new acc_exact_sums{std::vector<acc::superaccumulator<double>>(static_cast<std::size_t>(m))};
  });
}

int acc_exact_sums_copy(const acc_exact_sums* sums, acc_exact_sums** copy) {
  using namespace acc::blas;
  return guarded("acc_exact_sums_copy", [&] {
    need("sums", sums);
    need("copy", copy);
    *copy = new acc_exact_sums(*sums);
  });
}

void acc_exact_sums_destroy(acc_exact_sums* sums) { delete sums; }

std::int64_t acc_exact_sums_count(const acc_exact_sums* sums) {
  return sums == nullptr ? -1 : acc::blas::count(*sums);
}

int acc_exact_sums_reset(acc_exact_sums* sums) {
  using namespace acc::blas;
  return guarded("acc_exact_sums_reset", [&] {
    need("sums", sums);
    for (auto& s : sums->sum) s = acc::superaccumulator<double>();
  });
}

#define ACC_DEFINE(type, T)                                                                        \
  int acc_exact_sums_##type##add(acc_exact_sums* sums, std::int64_t i, std::int64_t n, const T* x, \
                                 std::int64_t incx) {                                              \
    using namespace acc::blas;                                                                     \
    return guarded("acc_exact_sums_" #type "add", [&] {                                            \
      auto& sum = sum_at(sums, i);                                                                 \
      sum.merge(widened(exact_sum(n, vector<T>{"x", x, incx})));                                   \
    });                                                                                            \
  }                                                                                                \
  int acc_exact_sums_##type##add_products(acc_exact_sums* sums, std::int64_t i, std::int64_t n,    \
                                          const T* x, std::int64_t incx, const T* y,               \
                                          std::int64_t incy) {                                     \
    using namespace acc::blas;                                                                     \
    return guarded("acc_exact_sums_" #type "add_products", [&] {                                   \
      auto& sum = sum_at(sums, i);                                                                 \
      sum.merge(widened(exact_dot(n, vector<T>{"x", x, incx}, vector<T>{"y", y, incy})));          \
    });                                                                                            \
  }                                                                                                \
  int acc_exact_sums_##type##values(const acc_exact_sums* sums, T* values) {                       \
    using namespace acc::blas;                                                                     \
    return guarded("acc_exact_sums_" #type "values", [&] { write_values(sums, values); });         \
  }
ACC_DEFINE(s, float)
ACC_DEFINE(d, double)

int acc_exact_sums_merge(acc_exact_sums* sums, const acc_exact_sums* other) {
  using namespace acc::blas;
  return guarded("acc_exact_sums_merge", [&] {
    need("sums", sums);
    need("other", other);
    if (count(*sums) != count(*other))
      throw std::invalid_argument("the number of sums is " + std::to_string(count(*sums)) +
                                  ", but other has " + std::to_string(count(*other)));
    for (std::size_t i = 0; i < sums->sum.size(); ++i) {
      const acc::superaccumulator<double> added = other->sum[i];  // it may be the same
      sums->sum[i].merge(added);
    }
  });
}

std::int64_t acc_exact_sums_wire_words(const acc_exact_sums* sums) {
  return sums == nullptr ? -1 : acc::blas::wire_words(*sums);
}

int acc_exact_sums_to_wire(const acc_exact_sums* sums, std::int64_t n, std::int64_t* words) {
  using namespace acc::blas;
  return guarded("acc_exact_sums_to_wire", [&] {
    check_wire(sums, n, words);
    for (std::size_t i = 0; i < sums->sum.size(); ++i)
      sums->sum[i].to_wire(words + static_cast<std::int64_t>(i) * words_of_a_sum);
  });
}

int acc_exact_sums_from_wire(acc_exact_sums* sums, std::int64_t n, const std::int64_t* words) {
  using namespace acc::blas;
  return guarded("acc_exact_sums_from_wire", [&] {
    check_wire(sums, n, words);
    std::vector<acc::superaccumulator<double>> read;
    read.reserve(sums->sum.size());
    for (std::int64_t i = 0; i < count(*sums); ++i)
      read.push_back(
          acc::superaccumulator<double>::from_wire(words + i * words_of_a_sum, words_of_a_sum));
    sums->sum.swap(read);
  });
}
