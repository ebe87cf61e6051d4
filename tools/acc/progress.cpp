// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "printable.hpp"

namespace acc_tool {
namespace {

using namespace std::chrono_literals;
using Duration = ProgressDisplay::Clock::duration;
constexpr Duration short_enough = 500ms;  // work that takes less is not spoken of on a terminal
constexpr Duration between_updates = 100ms, between_lines = 1s;

/// The end of a long text, such as a path: a line that wraps cannot be overwritten.
std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 56;
  if (text.size() <= longest) return std::string(text);
  return fmt::format("...{}", text.substr(text.size() - longest + 3));
}

}  // namespace

ProgressDisplay::ProgressDisplay(Style style, std::function<void(std::string_view)> write,
                                 std::function<Clock::time_point()> now)
    : style_(style),
      write_(std::move(write)),
      now_(std::move(now)),
      begin_(now_()),
      last_(begin_) {}

bool ProgressDisplay::short_work(Clock::time_point now) const {
  return style_ == Style::terminal && now - begin_ < short_enough;
}

void ProgressDisplay::show(std::string_view text, Clock::time_point now) {
  last_ = now;
  const std::string shown = printable(text);
  if (style_ == Style::lines) return write_(fmt::format("acc: {}\n", shown));
  write_(fmt::format("\r\033[Kacc: {}", shown));
  visible_ = true;
}

void ProgressDisplay::offer(std::string_view text) {
  if (style_ == Style::none) return;
  const auto now = now_();
  const Duration pause = style_ == Style::lines ? between_lines : between_updates;
  if (now - last_ >= pause && !short_work(now)) show(text, now);
}

void ProgressDisplay::announce(std::string_view text) {
  if (style_ != Style::terminal) return;
  const auto now = now_();
  if (!short_work(now)) show(text, now);
}

void ProgressDisplay::end_stage(std::string_view text) {
  if (style_ == Style::lines) return show(text, now_());
  wipe();
}

void ProgressDisplay::wipe() {
  if (visible_) write_("\r\033[K");
  visible_ = false;
}

ProgressDisplay& progress_display() {
  static ProgressDisplay display(
      isatty(STDERR_FILENO) ? ProgressDisplay::Style::terminal : ProgressDisplay::Style::none,
      [](std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
      });
  return display;
}

Progress::Progress(std::string_view what, std::uint64_t total, ProgressDisplay& display)
    : display_(display),
      what_(shortened(what)),
      total_(total),
      step_(total > 0 ? std::max<std::uint64_t>(total / 1000, 1) : std::uint64_t(1) << 20),
      next_(step_),
      begin_(display.now()),
      exceptions_(std::uncaught_exceptions()) {
  if (total == 0) display_.announce(what_);
}

Progress::~Progress() {
  if (std::uncaught_exceptions() > exceptions_) {
    display_.wipe();
    return;
  }
  const std::chrono::duration<double> seconds = display_.now() - begin_;
  display_.end_stage(fmt::format("{}: done in {:.1f} s", what_, seconds.count()));
}

void Progress::report(std::uint64_t done) {
  next_ = done + step_;
  if (total_ == 0) return display_.offer(fmt::format("{}: {} MB", what_, done / 1'000'000));
  const double part = static_cast<double>(done) / static_cast<double>(total_);
  display_.offer(fmt::format("{}: {:.0f}%", what_, 100 * std::min(part, 1.0)));
}

}  // namespace acc_tool
