// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hard sums with known results: what acc and its peers return for zeros, infinities, huge and
// subnormal numbers and cancellation. Each row sums the same numbers in five arrangements. It
// counts
//   wrong    the arrangements whose result is NaN or infinite where the sum is not, or is finite
//            where the sum is not, or has an error above the bound of a plain sum, n u sum |x|
//   results  how many different results there are: one, where order and layout do not matter
//   ulps     the largest error in units in the last place of the sum
// The label shows the first wrong result. The time of these rows has no meaning.

#include "harness.hpp"
#include "peers_host.hpp"
#include "peers_libraries.hpp"

#include <acc/sum.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include "peers_cuda.hpp"
#endif

namespace {

using namespace perf;

template <class T>
struct hard_sum {
  const char* name;
  std::vector<T> x;
  T sum;  ///< correctly rounded
};

template <class T>
std::vector<hard_sum<T>> hard_sums() {
  using limits = std::numeric_limits<T>;
  constexpr bool is_float = sizeof(T) == 4;
  constexpr T infinity = limits::infinity(), most = limits::max(), least = limits::denorm_min();
  constexpr T huge = is_float ? T(1e38) : T(1e300), small = is_float ? T(1e-35) : T(1e-290);
  constexpr T subnormal = is_float ? T(1e-40) : T(1e-310), beside = is_float ? T(1e-30) : T(1e-250);
  constexpr T large = is_float ? T(1e15) : T(1e100);

  // 2^-20 and a thousand numbers that cancel.
  constexpr T rest = T(1) / (1 << 20);
  std::vector<T> cancelling = {rest};
  std::mt19937_64 random(20260101);
  for (int i = 0; i < 1000; ++i) {
    const T u = T(std::int64_t(random() >> 11)) * T(std::ldexp(1.0, -53));
    cancelling.push_back(u);
    cancelling.push_back(-u);
  }
  std::shuffle(cancelling.begin(), cancelling.end(), random);

  return {
      {"zeros", std::vector<T>(1000, T(0)), 0},
      {"both zeros", {T(0), -T(0)}, 0},
      {"infinity", {infinity, 1}, infinity},
      {"opposite infinities", {infinity, -infinity}, limits::quiet_NaN()},
      {"NaN", {limits::quiet_NaN(), 1}, limits::quiet_NaN()},
      {"huge", {huge, huge}, 2 * huge},
      {"overflow on the way", {most, most, -most}, most},
      {"small", {small, small}, 2 * small},
      {"subnormal", {subnormal, subnormal, subnormal}, 3 * subnormal},
      {"least", {least, least}, 2 * least},
      {"subnormal beside normal", {subnormal, beside}, subnormal + beside},
      {"large cancels", {large, 1, -large}, 1},
      {"a thousand cancel", cancelling, rest},
  };
}

/// The same numbers as they are, backwards, shuffled, before zeros and after zeros. The last two
/// are spread over threads in another way.
template <class T>
std::vector<std::vector<T>> arrangements(const std::vector<T>& x) {
  std::vector<std::vector<T>> all(5, x);
  std::reverse(all[1].begin(), all[1].end());
  std::shuffle(all[2].begin(), all[2].end(), std::mt19937_64(1));
  all[3].resize(x.size() + 5000, T(0));
  all[4].insert(all[4].begin(), 300000, T(0));
  return all;
}

struct judgement {
  bool wrong;
  double ulps;
};
template <class T>
judgement judge(T result, const hard_sum<T>& h) {
  using limits = std::numeric_limits<T>;
  constexpr judgement right = {false, 0}, another_kind = {true, limits::infinity()};
  if (std::isnan(h.sum)) return std::isnan(result) ? right : another_kind;
  if (result == h.sum) return right;
  if (std::isinf(h.sum) || !std::isfinite(result)) return another_kind;

  long double magnitude = 0;
  for (const T x : h.x) magnitude += std::abs(static_cast<long double>(x));
  const long double u = limits::epsilon() / 2;
  const long double error = std::abs(static_cast<long double>(result) - h.sum);
  const T size = std::abs(h.sum), above = std::nextafter(size, limits::infinity());
  const T ulp = std::isinf(above) ? size - std::nextafter(size, T(0)) : above - size;
  return {error > static_cast<long double>(h.x.size()) * u * magnitude, double(error / ulp)};
}

template <class T>
vector<T> to_device(const std::vector<T>& x) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> from(x.data(), x.size());
  const vector<T> to(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), x.size());
  Kokkos::deep_copy(to, from);
  return to;
}

template <class T>
using summer = std::function<T(const vector<T>&)>;

template <class T>
void add_row(const std::string& name, const hard_sum<T>& h, const summer<T>& sum) {
  const auto body = [=](benchmark::State& state) {
    std::vector<vector<T>> inputs;
    for (const auto& x : arrangements(h.x)) inputs.push_back(to_device(x));
    int wrong = 0;
    double ulps = 0;
    std::set<std::string> results;  // as text: each NaN is the same result
    std::string first_wrong;
    for (auto _ : state) {
      double time = 0;
      wrong = 0;
      for (const auto& x : inputs) {
        T result = 0;
        time += seconds([&] { result = sum(x); });
        const auto [is_wrong, error] = judge(result, h);
        std::ostringstream text;
        text.precision(std::numeric_limits<T>::max_digits10);
        text << result;
        const bool nan = std::isnan(result);
        results.insert(nan ? "nan" : text.str());
        if (is_wrong && wrong++ == 0) {
          std::ostringstream label;
          label << (nan ? std::string("nan") : text.str()) << " for " << h.sum;
          first_wrong = label.str();
        }
        ulps = std::max(ulps, error);
      }
      state.SetIterationTime(time);
    }
    state.counters["wrong"] = wrong;
    state.counters["results"] = double(results.size());
    state.counters["ulps"] = ulps;
    state.SetLabel(first_wrong);
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(1);
}

/// acc by a method.
template <class T, class Method>
summer<T> by(const Method& method) {
  return [=](const vector<T>& x) { return acc::sum(Exec(), x, method); };
}

template <class T>
std::vector<std::pair<std::string, summer<T>>> summers() {
  std::vector<std::pair<std::string, summer<T>>> all;
#if defined(KOKKOS_ENABLE_CUDA)
  const auto to_host = [](auto call) {
    return [=](const vector<T>& x) {
      const Exec exec;
      const Kokkos::View<T, Exec> r("r");
      call(exec.cuda_stream(), static_cast<const T*>(x.data()), std::int64_t(x.extent(0)),
           r.data());
      T result = 0;
      Kokkos::deep_copy(exec, result, r);
      exec.fence();
      return result;
    };
  };
  all.emplace_back("CUB", to_host(&peers::cub_sum<T>));
  if constexpr (peers::has_gpu_to_gpu)
    all.emplace_back("CUB gpu_to_gpu", to_host(&peers::cub_sum_gpu_to_gpu<T>));
#else
  const auto of_pointer = [](auto call) {
    return [=](const vector<T>& x) { return call(x.data(), std::int64_t(x.extent(0))); };
  };
  all.emplace_back("vectorised loop", of_pointer(&peers::vectorised_sum<T>));
  if constexpr (peers::has_xsum && sizeof(T) == 8)
    all.emplace_back("xsum", of_pointer(&peers::xsum_sum));
  if constexpr (peers::has_reproblas)
    all.emplace_back("ReproBLAS", of_pointer(&peers::reproblas_sum<T>));
#endif
  all.emplace_back("acc plain", by<T>(acc::plain{}));
  all.emplace_back("acc compensated", by<T>(acc::compensated{}));
  all.emplace_back("acc reproducible<3>", by<T>(acc::reproducible<3>{}));
  all.emplace_back("acc exact", by<T>(acc::exact{}));
  return all;
}

template <class T>
void add_type(const std::string& type) {
  for (const auto& h : hard_sums<T>())
    for (const auto& [name, sum] : summers<T>())
      add_row<T>("hard sum/" + type + "/" + h.name + "/" + name, h, sum);
}

const bool registered = [] {
  add_type<double>("f64");
  add_type<float>("f32");
  return true;
}();

}  // namespace
