// Finds threads that meet at one byte of shared memory without a barrier between them: a write and
// a read, or two writes of different values, once somebody reads what is left of them.
//
// It knows nothing of how barriers were placed: it sees what the lowered kernel does, byte by byte.
// The words of signals are for signals alone: see AllocateShared.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tilewise::nvidiatest {

class SharedRaces {
public:
  /// Who accesses: a thread by its number, a group of four warps as one, or any thread by an
  /// instruction that does its work in one step.
  static int group(unsigned number) { return kGroups + int(number); }
  static constexpr int kAtomic = -1;

  explicit SharedRaces(size_t bytes) : bytes_(bytes) {}

  /// All threads meet.
  void meet() { ++epoch_; }
  /// Those of a warp do.
  void meet(unsigned warp) {
    warps_.resize(std::max<size_t>(warps_.size(), warp + 1));
    ++warps_[warp];
  }

  /// A signal lies there from now on.
  void keepForSignal(size_t at, size_t bytes) {
    for (size_t i = at; i < at + bytes; ++i) {
      if (bytes_[i].read || bytes_[i].written)
        isMixed("a signal is made", i);
      bytes_[i].isSignal = true;
    }
  }

  void read(int who, size_t at, size_t bytes) {
    for (size_t i = at; i < at + bytes; ++i) {
      Byte &byte = bytes_[i];
      if (byte.isSignal)
        isMixed(nameOf(who) + " reads", i);
      if (byte.written == epoch_ && !mayFollow(byte.writer, byte.writerMet, who))
        complain("reads", who, i, "wrote", byte.writer);
      if (byte.isContested)
        complain("reads", who, i, "wrote as another one did", byte.writer);
      byte.reader = byte.read == epoch_ ? together(byte.reader, who) : who;
      byte.read = epoch_;
      byte.readerMet = metBy(who);
    }
  }

  /// `before` is what lies there now, `values` is what will.
  void write(int who, size_t at, size_t bytes, const uint8_t *before, const uint8_t *values) {
    for (size_t i = 0; i < bytes; ++i) {
      Byte &byte = bytes_[at + i];
      if (byte.isSignal)
        isMixed(nameOf(who) + " writes", at + i);
      // Threads that hold copies of one element write it all.
      const bool isSame = before[i] == values[i];
      byte.isContested =
          byte.written == epoch_ && (byte.isContested || (!isSame && !mayFollow(byte.writer, byte.writerMet, who)));
      if (byte.read == epoch_ && !isSame && !mayFollow(byte.reader, byte.readerMet, who))
        complain("writes", who, at + i, "read", byte.reader);
      byte.writer = who;
      byte.written = epoch_;
      byte.writerMet = metBy(who);
    }
  }

  const std::string &error() const { return error_; }

private:
  static constexpr int kGroups = 1 << 20, kWarps = 1 << 21, kMany = -2;

  struct Byte {
    uint32_t written = 0, read = 0; ///< When last.
    int writer = 0, reader = 0;
    uint32_t writerMet = 0, readerMet = 0; ///< How often the warp had met by then.
    bool isContested = false;              ///< Threads that wrote different values in no order.
    bool isSignal = false;
  };

  static int warpOf(int who) { return who >= kWarps ? who - kWarps : who >= 0 && who < kGroups ? who / 32 : -1; }
  /// Two who read a byte, as one.
  static int together(int one, int other) {
    const int warp = warpOf(one);
    return one == other ? one : warp >= 0 && warp == warpOf(other) ? kWarps + warp : kMany;
  }
  uint32_t metBy(int who) const {
    const int warp = warpOf(who);
    return warp >= 0 && size_t(warp) < warps_.size() ? warps_[warp] : 0;
  }
  bool mayFollow(int earlier, uint32_t met, int who) const {
    if (earlier == who || (warpOf(who) >= 0 && warpOf(earlier) == warpOf(who) && met < metBy(who)))
      return true;
    // A group's own threads come after its instructions, or before.
    return earlier >= kGroups && earlier < kWarps && who >= 0 && who < kGroups && who / 128 == earlier - kGroups;
  }
  static std::string nameOf(int who) {
    return who == kMany     ? "several threads"
           : who >= kWarps  ? "warp " + std::to_string(who - kWarps)
           : who == kAtomic ? "an atomic"
           : who >= kGroups
               ? "warps " + std::to_string(4 * (who - kGroups)) + " to " + std::to_string(4 * (who - kGroups) + 3)
               : "thread " + std::to_string(who);
  }
  void complain(const char *does, int who, size_t at, const char *did, int other) {
    if (error_.empty())
      error_ = "a race: " + nameOf(who) + " " + does + " byte " + std::to_string(at) + " of shared memory, which " +
               nameOf(other) + " " + did + ", with no barrier between";
  }

  void isMixed(const std::string &what, size_t at) {
    if (error_.empty())
      error_ = what + " at byte " + std::to_string(at) + " of shared memory, which serves a signal and something else";
  }

  std::vector<Byte> bytes_;
  uint32_t epoch_ = 1;
  std::vector<uint32_t> warps_; ///< How often each has met.
  std::string error_;
};

} // namespace tilewise::nvidiatest
