// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_RESIDUE_GEMM_HPP
#define ACC_BACKENDS_HOST_RESIDUE_GEMM_HPP

/// \file
/// Exact matrix products on hosts by residues modulo small numbers (core/exact/moduli.hpp): a pass
/// for the units of rows and columns, then, block by block of C, residues of A and B, their
/// products by integer instructions, and the way back with one rounding.
///
/// Rows and columns that no number of moduli holds, and those with infinities or NaN, go to
/// exact_gemm.hpp. An entry's bits depend on neither.

#include <acc/backends/host/exact_gemm.hpp>
#include <acc/backends/host/kernels/residues.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/exact/scaled_integer.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/element_kinds.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace acc::backends::host {

/// Which integers the kernels' moduli hold.
inline int residue_capacity(const residue_kernels& k, int moduli) {
  return k.bytes ? impl::capacity<impl::byte_moduli>(moduli)
                 : impl::capacity<impl::word_moduli>(moduli);
}
inline int residue_moduli_for(const residue_kernels& k, int bits) {
  return k.bytes ? impl::moduli_for<impl::byte_moduli>(bits)
                 : impl::moduli_for<impl::word_moduli>(bits);
}
inline int most_moduli(const residue_kernels& k) {
  return k.bytes ? impl::byte_moduli::count : impl::word_moduli::count;
}

/// Rows (of A, or columns of B) in their units.
class residue_rows {
 public:
  /// number(row, k), for rows that scale_of gives a width of `widest` at most; others count as
  /// zeros.
  residue_rows(std::vector<impl::row_scale> scales, int widest)
      : scales_(std::move(scales)), widest_(widest) {
    for (const auto& s : scales_)
      if (s.width <= widest_) width_ = std::max(width_, s.width);
  }

  int width() const { return width_; }
  bool fits(std::int64_t row) const { return scales_[std::size_t(row)].width <= widest_; }
  int unit(std::int64_t row) const { return scales_[std::size_t(row)].unit; }
  std::int64_t count() const { return std::int64_t(scales_.size()); }
  std::int64_t fitting() const {
    return std::count_if(scales_.begin(), scales_.end(),
                         [&](const auto& s) { return s.width <= widest_; });
  }
  std::int64_t runs() const {
    std::int64_t n = 0;
    for_others([&](std::int64_t, std::int64_t) { ++n; });
    return n;
  }
  /// f(first, end) for each run of rows that do not fit.
  template <class F>
  void for_others(const F& f) const {
    for (std::int64_t i = 0; i < count(); ++i) {
      if (fits(i)) continue;
      const std::int64_t first = i;
      while (i < count() && !fits(i)) ++i;
      f(first, i);
    }
  }

 private:
  std::vector<impl::row_scale> scales_;
  int widest_, width_ = 0;
};

/// How numbers of a width become digits, and the digits' weights (residue_kernels.hpp has the bound
/// that they keep).
struct residue_digits {
  int digits, bits;
  std::vector<float> weights;

  residue_digits(const residue_kernels& kernels, int width, int moduli) {
    bits = !kernels.bytes ? 8 : width <= 53 ? 13 : 12;
    const int top = kernels.bytes && width <= 53 ? bits + 1 : bits;  // of the highest digit
    digits = std::max(1, (width - top + bits - 1) / bits + 1);
    for (int l = 0; l < moduli; ++l) {
      const auto p = std::int64_t(kernels.bytes ? impl::byte_moduli::modulus(l)
                                                : impl::word_moduli::modulus(l));
      std::int64_t power = 1;
      for (int t = 0; t < digits; ++t) {
        weights.push_back(float(2 * power > p ? power - p : power));
        power = (power << bits) % p;
      }
    }
  }
};

/// An exact product.
template <class Problem>
class residue_entries {
  using in = typename Problem::in;
  using out = typename Problem::out;
  using operands = impl::exact_operands<in>;
  static constexpr int parts = Problem::parts;
  using tuning = residue_gemm_tuning;

 public:
  template <class Exec>
  residue_entries(const Exec& exec, const Problem& p)
      : problem_(p), others_(exec, p), kernels_(&residue_kernels_for_this_processor()) {
    const auto up = [](std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; };
    depth_ = p.reads_products() ? parts * p.depth() : 0;
    const std::int64_t columns = parts * p.c.columns;
    possible_ = p.reads_products() && depth_ >= 1 && p.batches > 0;
    large_ = std::min(p.c.rows, columns) >= tuning::least_rows &&
             p.c.rows * columns >= tuning::least_entries;
    // A section of k begins with a whole step of every panel.
    const std::int64_t step = residue_kernels::step / 2 * kernels_->per_unit;
    section_ = std::min(up(depth_, step), tuning::section);
    block_rows_ = up(std::min(p.c.rows, tuning::block), kernels_->mr);
    block_columns_ = up(std::min(columns, tuning::block), kernels_->nr);
    units_ = section_ / kernels_->per_unit;
    teams_ = exec.concurrency();
  }

  /// Residues of a block of A and one of B, those of their products, and digits for each thread,
  /// for as many moduli as there are.
  std::size_t bytes() const {
    return worthwhile() ? std::max(others_.bytes(), own_bytes(most_moduli(*kernels_)))
                        : others_.bytes();
  }

  /// Whether all batches' entries are to be had at once: the others' way.
  template <class Exec>
  void launch(const Exec& exec, const char* label, void* memory) const {
    if (!worthwhile()) return others_.launch(exec, label, memory);
    for (std::int64_t batch = 0; batch < problem_.batches; ++batch) {
      Problem p = problem_.of_batch(batch);
      p.batches = 1;
      one_product(exec, label, p, memory);
    }
  }

  /// For tests: this many moduli more than are needed.
  int more_moduli = 0;
  /// For tests: also where the others would be faster.
  bool always = false;

 private:
  template <class Exec>
  using range =
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>;

  bool worthwhile() const { return possible_ && (large_ || always); }

  std::size_t own_bytes(int moduli) const {
    return std::size_t(moduli) * (std::size_t((block_rows_ + block_columns_) * units_) * 4 +
                                  std::size_t(block_rows_ * block_columns_) * 2) +
           256;
  }

  template <class Exec>
  void one_product(const Exec& exec, const char* label, const Problem& p, void* memory) const {
    const operands x{p.a, p.b};
    const std::int64_t rows = p.c.rows, columns = parts * p.c.columns;
    const int limit =
        residue_capacity(*kernels_, most_moduli(*kernels_)) - impl::depth_bits(depth_);
    auto scales_a = scales(exec, label, rows, p.a.row_stride != 1 && p.a.column_stride == 1,
                           [&](std::int64_t i, std::int64_t k) { return x.a(i, k); });
    auto scales_b = scales(exec, label, columns, p.b.column_stride != 1 && p.b.row_stride == 1,
                           [&](std::int64_t j, std::int64_t k) { return x.b(k, j); });
    // Where the widest of both do not fit together, each has half of the bits, or what the others
    // leave of them: most_a + (what B uses) and (what A uses) + most_b are at most `limit`.
    const auto widest = [](const auto& scales) {
      int w = 0;
      for (const auto& s : scales)
        if (s.width < impl::number_range::far) w = std::max(w, s.width);
      return w;
    };
    const int most_a = limit - std::min(widest(scales_b), limit / 2);
    const int most_b = limit - std::min(widest(scales_a), limit - limit / 2);
    // A complex number's two columns go together.
    for (std::size_t j = 0; parts == 2 && j < scales_b.size(); j += 2)
      if (std::max(scales_b[j].width, scales_b[j + 1].width) > most_b)
        scales_b[j].width = scales_b[j + 1].width = impl::number_range::far;
    const residue_rows a(std::move(scales_a), most_a), b(std::move(scales_b), most_b);
    const int needed =
        residue_moduli_for(*kernels_, a.width() + b.width() + impl::depth_bits(depth_));
    // What the others compute of it: a launch for each run of rows, and for each run of columns
    // between these.
    const std::int64_t launches = a.runs() + b.runs() * (a.runs() + 1);
    const bool faster_by_others = a.fitting() * tuning::few < a.count() ||
                                  b.fitting() * tuning::few < b.count() ||
                                  launches > tuning::most_launches;
    if (needed == 0 || (faster_by_others && !always)) return launch_others(exec, label, p, memory);
    const int moduli = std::min(needed + more_moduli, most_moduli(*kernels_));
    by_residues(exec, label, p, a, b, moduli, memory);
    a.for_others([&](std::int64_t first, std::int64_t end) {
      Problem part = p;
      part.a.data += first * part.a.row_stride;
      part.c.data += first * part.c.row_stride;
      part.a.rows = part.c.rows = end - first;
      launch_others(exec, label, part, memory);
    });
    b.for_others([&](std::int64_t first, std::int64_t end) {
      first /= parts;
      end /= parts;
      // Rows that do not fit have been written already, and C may not be read twice.
      std::int64_t i = 0;
      const auto between = [&](std::int64_t from, std::int64_t to) {
        if (from == to) return;
        Problem part = p;
        part.a.data += from * part.a.row_stride;
        part.b.data += first * part.b.column_stride;
        part.c.data += from * part.c.row_stride + first * part.c.column_stride;
        part.a.rows = part.c.rows = to - from;
        part.b.columns = part.c.columns = end - first;
        launch_others(exec, label, part, memory);
      };
      a.for_others([&](std::int64_t from, std::int64_t to) {
        between(i, from);
        i = to;
      });
      between(i, a.count());
    });
  }

  /// The memory of a part of a product is not more than that of the whole, or than the residues'.
  template <class Exec>
  void launch_others(const Exec& exec, const char* label, const Problem& p, void* memory) const {
    const exact_entries<Problem> part(exec, p);
    if (part.bytes() <= bytes()) return part.launch(exec, label, memory);
    std::vector<std::byte> own(part.bytes() + 64);
    part.launch(exec, label, own.data() + (64 - reinterpret_cast<std::uintptr_t>(own.data()) % 64));
  }

  /// The units of all rows.
  template <class Exec, class Number>
  std::vector<impl::row_scale> scales(const Exec& exec, const char* label, std::int64_t rows,
                                      bool by_rows, const Number& number) const {
    constexpr std::int64_t together = 16;
    std::vector<impl::row_scale> result(static_cast<std::size_t>(rows));
    Kokkos::parallel_for(
        label, range<Exec>(exec, 0, (rows + together - 1) / together), [&](std::int64_t item) {
          const std::int64_t first = item * together, n = std::min(together, rows - first);
          impl::number_range r[together];
          if (by_rows) {
            for (std::int64_t i = 0; i < n; ++i)
              for (std::int64_t k = 0; k < depth_; ++k)
                r[i].merge(impl::number_range::of(number(first + i, k)));
          } else {
            for (std::int64_t k = 0; k < depth_; ++k)
              for (std::int64_t i = 0; i < n; ++i)
                r[i].merge(impl::number_range::of(number(first + i, k)));
          }
          for (std::int64_t i = 0; i < n; ++i) result[std::size_t(first + i)] = scale_of(r[i]);
        });
    exec.fence("acc: residues");
    return result;
  }

  impl::row_scale scale_of(const impl::number_range& r) const {
    if constexpr (impl::cuts_numbers<typename Problem::method>)
      return impl::cut_scale_of(r, problem_.bits);
    else
      return impl::scale_of(r);
  }

  template <class Exec>
  void by_residues(const Exec& exec, const char* label, const Problem& p, const residue_rows& a,
                   const residue_rows& b, int moduli, void* memory) const {
    const residue_kernels& kernel = *kernels_;
    const operands x{p.a, p.b};
    const std::int64_t rows = a.count(), columns = b.count();
    const int mr = kernel.mr, nr = kernel.nr;
    const std::int64_t a_stride = block_rows_ * units_, b_stride = block_columns_ * units_;
    auto* const a_units = static_cast<std::uint32_t*>(memory);
    auto* const b_units = a_units + moduli * a_stride;
    auto* const residues = reinterpret_cast<std::uint16_t*>(b_units + moduli * b_stride);
    const residue_digits a_digits(kernel, a.width(), moduli), b_digits(kernel, b.width(), moduli);
    const bool a_by_rows = p.a.column_stride == 1, b_by_rows = p.b.row_stride == 1;
    const auto panels = [](std::int64_t n, int width) { return (n + width - 1) / width; };
    for (std::int64_t j = 0; j < columns; j += block_columns_) {
      const std::int64_t b_panels = panels(std::min(block_columns_, columns - j), nr);
      for (std::int64_t i = 0; i < rows; i += block_rows_) {
        const std::int64_t a_panels = panels(std::min(block_rows_, rows - i), mr);
        for (std::int64_t k = 0; k < depth_; k += section_) {
          const std::int64_t depth = std::min(section_, depth_ - k);
          const bool keeps_b = depth_ <= section_ && i > 0;
          const std::int64_t items = (keeps_b ? 0 : b_panels) + a_panels;
          Kokkos::parallel_for(label, range<Exec>(exec, 0, items), [&](std::int64_t item) {
            if (item < a_panels) {
              convert(a, a_digits, moduli, false, i + item * mr, k, depth, a_by_rows,
                      a_units + item * mr * units_, a_stride,
                      [&](std::int64_t row, std::int64_t kk) { return double(x.a(row, kk)); });
            } else {
              item -= a_panels;
              convert(b, b_digits, moduli, true, j + item * nr, k, depth, b_by_rows,
                      b_units + item * nr * units_, b_stride,
                      [&](std::int64_t row, std::int64_t kk) { return double(x.b(kk, row)); });
            }
          });
          exec.fence("acc: residues");
          // Panels of an item stay in the caches; the tiles of a panel of A follow one another.
          const std::int64_t group_a = tuning::panels_of_a, group_b = tuning::panels_of_b;
          const std::int64_t grid_a = (a_panels + group_a - 1) / group_a;
          const std::int64_t grid_b = (b_panels + group_b - 1) / group_b;
          Kokkos::parallel_for(
              label, range<Exec>(exec, 0, grid_a * grid_b), [&](std::int64_t item) {
                const std::int64_t a_first = item % grid_a * group_a;
                const std::int64_t b_first = item / grid_a * group_b;
                const std::int64_t a_end = std::min(a_first + group_a, a_panels);
                const std::int64_t b_end = std::min(b_first + group_b, b_panels);
                const std::int64_t tile = std::int64_t(mr) * nr;
                const auto tile_at = [&](std::int64_t pa, std::int64_t pb) {
                  return residues + (pb * (block_rows_ / mr) + pa) * tile * moduli;
                };
                for (int l = 0; l < moduli; ++l)
                  for (std::int64_t pa = a_first; pa < a_end; ++pa)
                    for (std::int64_t pb = b_first; pb < b_end; ++pb)
                      kernel.multiply({.a = a_units + l * a_stride + pa * mr * units_,
                                       .b = b_units + l * b_stride + pb * nr * units_,
                                       .steps = steps_of(depth),
                                       .modulus = l,
                                       .first = k == 0,
                                       .residues = tile_at(pa, pb) + l * tile});
                if (k + section_ < depth_) return;
                for (std::int64_t pa = a_first; pa < a_end; ++pa)
                  for (std::int64_t pb = b_first; pb < b_end; ++pb)
                    finish(p, a, b, moduli, i + pa * mr, j + pb * nr, tile_at(pa, pb));
              });
          exec.fence("acc: residues");
        }
      }
    }
  }

  /// Units of so much of k, to whole steps of every panel.
  std::int64_t steps_of(std::int64_t depth) const {
    constexpr std::int64_t whole = residue_kernels::step / 2;
    const std::int64_t steps = (depth + kernels_->per_unit - 1) / kernels_->per_unit;
    return (steps + whole - 1) / whole * whole;
  }

  /// A panel's residues of a section.
  template <class Number>
  void convert(const residue_rows& rows, const residue_digits& digits, int moduli, bool of_b,
               std::int64_t first, std::int64_t k, std::int64_t depth, bool by_rows,
               std::uint32_t* units, std::int64_t stride, const Number& number) const {
    const int width = of_b ? kernels_->nr : kernels_->mr, per_unit = kernels_->per_unit;
    constexpr std::int64_t whole = residue_kernels::step / 2;
    const std::int64_t chunk =
        std::max<std::int64_t>(1, residue_kernels::max_units / width / whole) * whole;
    const std::int64_t steps = steps_of(depth);
    const std::int64_t n = std::min<std::int64_t>(width, rows.count() - first);
    alignas(64) double numbers[4][residue_kernels::max_units];
    alignas(64) float digit[residue_kernels::most_digits * 4 * residue_kernels::max_units];
    // 2^-unit is two numbers.
    double scale[2][64] = {};
    for (std::int64_t r = 0; r < n; ++r) {
      if (!rows.fits(first + r)) continue;
      const int up = -rows.unit(first + r), half = up / 2;
      scale[0][r] = power_of_two(half);
      scale[1][r] = power_of_two(up - half);
    }
    for (std::int64_t step = 0; step < steps; step += chunk) {
      const std::int64_t end = std::min(steps, step + chunk);
      const std::int64_t from = k + step * per_unit, to = k + std::min(depth, end * per_unit);
      if (n < width || to < k + end * per_unit)
        for (int q = 0; q < per_unit; ++q) std::fill_n(numbers[q], (end - step) * width, 0.0);
      const auto put = [&](std::int64_t r, std::int64_t kk) {
        const std::int64_t at = kk - from;  // per_unit is 4 or 2
        const double x = number(first + r, kk);
        // Not 0 x: x may be infinite.
        numbers[at & (per_unit - 1)][(at >> per_unit / 2) * width + r] =
            scale[1][r] == 0 ? 0.0 : x * scale[0][r] * scale[1][r];
      };
      if (by_rows) {
        for (std::int64_t r = 0; r < n; ++r)
          for (std::int64_t kk = from; kk < to; ++kk) put(r, kk);
      } else {
        for (std::int64_t kk = from; kk < to; ++kk)
          for (std::int64_t r = 0; r < n; ++r) put(r, kk);
      }
      kernels_->convert({.number = {numbers[0], numbers[1], numbers[2], numbers[3]},
                         .count = (end - step) * width,
                         .digits = digits.digits,
                         .digit_bits = digits.bits,
                         .weights = digits.weights.data(),
                         .moduli = moduli,
                         .of_b = of_b,
                         .digit = digit,
                         .units = units + step * width,
                         .modulus_stride = stride});
    }
  }
  static double power_of_two(int e) {
    return Kokkos::bit_cast<double>(std::uint64_t(1023 + e) << 52);
  }

  /// A tile's entries.
  void finish(const Problem& p, const residue_rows& a, const residue_rows& b, int moduli,
              std::int64_t first_row, std::int64_t first_column,
              const std::uint16_t* residues) const {
    const int count = kernels_->mr * kernels_->nr;
    const int words = kernels_->bytes ? impl::words_of_moduli<impl::byte_moduli>(moduli)
                                      : impl::words_of_moduli<impl::word_moduli>(moduli);
    alignas(64) std::uint32_t x[6 * 1024];
    kernels_->combine(moduli, residues, count, count, x);
    switch (words) {
      case 1:
        return write<1>(p, a, b, first_row, first_column, x);
      case 2:
        return write<2>(p, a, b, first_row, first_column, x);
      case 3:
        return write<3>(p, a, b, first_row, first_column, x);
      case 4:
        return write<4>(p, a, b, first_row, first_column, x);
      case 5:
        return write<5>(p, a, b, first_row, first_column, x);
      default:
        return write<6>(p, a, b, first_row, first_column, x);
    }
  }

  template <int Words>
  void write(const Problem& p, const residue_rows& a, const residue_rows& b, std::int64_t first_row,
             std::int64_t first_column, const std::uint32_t* x) const {
    const int mr = kernels_->mr, nr = kernels_->nr, count = mr * nr;
    const operands y{p.a, p.b};
    constexpr bool plain_real =
        parts == 1 && (std::is_same_v<out, float> || std::is_same_v<out, double>);
    const bool rounds_only = p.scale.alpha[0] == 1.0 && p.scale.alpha[1] == 0.0 && !p.reads_c();
    const std::int64_t end = std::min<std::int64_t>(nr, b.count() - first_column);
    for (int r = 0; r < mr && first_row + r < a.count(); ++r) {
      const std::int64_t i = first_row + r;
      if (!a.fits(i)) continue;
      for (int c = 0; c < end; c += parts) {
        const std::int64_t column = first_column + c;
        if (!b.fits(column)) continue;
        if constexpr (plain_real) {
          std::uint32_t word[Words], any = 0;
          for (int j = 0; j < Words; ++j) any |= word[j] = x[j * count + r * nr + c];
          if (rounds_only && any != 0) {
            p.c(i, column) = impl::rounded_words<out, Words>(word, a.unit(i) + b.unit(column));
            continue;
          }
        }
        impl::exact_part<Words> s[parts];
        for (int q = 0; q < parts; ++q) {
          std::uint32_t word[Words], any = 0;
          for (int j = 0; j < Words; ++j) any |= word[j] = x[j * count + r * nr + c + q];
          s[q].magnitude = impl::carried_integer<Words>(word);
          s[q].unit = a.unit(i) + b.unit(column + q);
          constexpr bool cuts = impl::cuts_numbers<typename Problem::method>;
          constexpr bool rounds = !impl::is_entry_accumulator<out>;
          s[q].kinds = any == 0 ? impl::kinds_of_products<cuts, rounds>(y, i, column + q)
                                : element_kinds{element_kinds::nonzero};
          s[q].settle();
        }
        impl::write_exact_entry(p, i, column / parts, s);
      }
    }
  }

  Problem problem_;
  exact_entries<Problem> others_;
  const residue_kernels* kernels_;
  bool possible_, large_;
  std::int64_t depth_, section_, block_rows_, block_columns_, units_;
  int teams_;
};

}  // namespace acc::backends::host

#endif
