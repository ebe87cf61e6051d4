// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long work shows itself: what goes on and how far it is, on standard error, so that results can be
// piped. On a terminal that is one line, overwritten and wiped in the end; elsewhere there is
// nothing, unless it was asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace acc_tool {

class ProgressDisplay {
 public:
  using Clock = std::chrono::steady_clock;
  /// `lines`: each message is a line of its own, and each stage has one at its end.
  enum class Style { none, terminal, lines };

  ProgressDisplay(Style style, std::function<void(std::string_view)> write,
                  std::function<Clock::time_point()> now = Clock::now);

  Style style() const { return style_; }
  void set_style(Style style) { style_ = style; }
  Clock::time_point now() const { return now_(); }

  /// Shows the text, if it is time for a message.
  void offer(std::string_view text);
  /// Shows the text of a step that cannot say how far it is, so that what comes is known; nothing
  /// if all work so far was short.
  void announce(std::string_view text);
  /// The stage is over; `text` for the style of lines.
  void end_stage(std::string_view text);
  /// The stage failed: whoever reports that finds an empty line.
  void wipe();

 private:
  bool short_work(Clock::time_point now) const;
  void show(std::string_view text, Clock::time_point now);

  Style style_;
  std::function<void(std::string_view)> write_;
  std::function<Clock::time_point()> now_;
  Clock::time_point begin_, last_;
  bool visible_ = false;
};

/// That of the process: of style `terminal` if standard error is one, else `none`.
ProgressDisplay& progress_display();

/// One stage of work, from its construction to its destruction.
class Progress {
 public:
  /// `total`: of whatever the stage counts, 0 if it is not known.
  Progress(std::string_view what, std::uint64_t total,
           ProgressDisplay& display = progress_display());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// May be called for each number: it looks at the clock a thousand times in a stage.
  void to(std::uint64_t done) {
    if (done >= next_) report(done);
  }

 private:
  void report(std::uint64_t done);

  ProgressDisplay& display_;
  std::string what_;
  std::uint64_t total_, step_, next_;
  ProgressDisplay::Clock::time_point begin_;
  int exceptions_;
};

}  // namespace acc_tool
