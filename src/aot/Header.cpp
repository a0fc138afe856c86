// The text of the header.
#include "aot/Header.h"
#include "aot/Choice.h"
#include "aot/TypesInC.h"
#include "artifact/HostNames.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tilewise::aot {

// By the names that GCC and Clang have known since 2016. What they did not know until 2021 and
// 2023, F16C and LZCNT, the header asks the processor for itself.
Result<std::vector<std::string>> featuresOf(llvm::StringRef processor) {
  if (processor == "x86-64")
    return std::vector<std::string>();
  if (processor == "avx2" || processor == "x86-64-v3")
    return std::vector<std::string>{"avx2", "fma", "bmi", "bmi2"};
  if (processor == "avx512" || processor == "x86-64-v4")
    return std::vector<std::string>{"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl",
                                    "avx2",    "fma",      "bmi",      "bmi2"};
  return launchFailure(
      "a build for several processors chooses among x86-64, x86-64-v3 (avx2) and x86-64-v4 (avx512); '" +
      processor.str() + "' is built alone");
}

namespace {

class HeaderWriter {
public:
  explicit HeaderWriter(const Build &build) : build_(build) {}

  Result<std::string> write() {
    TILEWISE_CHECK(checkCode());
    TILEWISE_CHECK(findAll());
    std::string text;
    llvm::raw_string_ostream os(text);
    writeHead(os);
    for (const Variant &variant : build_.variants)
      for (const Artifact &code : variant.code)
        os << "void " << code.kernel
           << "(const uint64_t *arguments, void *scratch, const uint32_t *grid, uint64_t begin, uint64_t end);\n";
    TILEWISE_CHECK(writeChoice(os));
    writeLaunch(os);
    os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text;
  }

private:
  Result<void> checkCode() const {
    for (const Variant &variant : build_.variants)
      for (const Artifact &code : variant.code)
        if (!code.plan.delegatedOps.empty() || llvm::StringRef(code.code).contains(cpu::kHostPrefix))
          return launchFailure("kernel '" + build_.name +
                               "' prints, asserts or calls functions of the library, which a "
                               "program without it does not have; take those out");
    return {};
  }

  Result<void> findAll() {
    std::vector<const Artifact *> signatures;
    for (const Variant &variant : build_.variants)
      signatures.push_back(&variant.code.front());
    TILEWISE_TRY(parameters_, findParameters(signatures));
    for (const Artifact *signature : signatures) {
      TILEWISE_TRY(std::string condition, conditionInC(parameters_, *signature));
      conditions_.push_back(std::move(condition));
    }
    return {};
  }

  void writeHead(llvm::raw_ostream &os) const {
    const std::string guard = "TILEWISE_BUILD_" + llvm::StringRef(build_.name).upper() + "_H";
    os << "/* " << build_.name << ": made by Tilewise " TILEWISE_VERSION " from " << build_.origin
       << "; not to be edited.\n *\n * signatures, the first that the arguments fit is taken:\n";
    for (const Variant &variant : build_.variants)
      os << " *   " << signatureInC(variant.code.front()) << "\n";
    os << " * processors: " << llvm::join(build_.processors, ", ") << "\n *\n"
       << " * A number after a colon divides the address in bytes, or the value. Floats that C does not\n"
       << " * have (fp16, bf16, fp8) go by their bits. */\n"
       << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stdint.h>\n#include <stdlib.h>\n"
       << "#include <string.h>\n"
       << (asksProcessor() ? "#include <cpuid.h>\n" : "") << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  }

  bool asksProcessor() const {
    return llvm::any_of(build_.processors, [](const std::string &processor) {
      Result<std::vector<std::string>> features = featuresOf(processor);
      return features && !features->empty();
    });
  }

  std::string declaration() const {
    std::vector<std::string> texts;
    for (const ChoiceParameter &parameter : parameters_)
      texts.push_back(parameter.type + (parameter.isPointer() ? "" : " ") + parameter.name);
    return texts.empty() ? "" : ", " + llvm::join(texts, ", ");
  }
  std::string passedOn() const {
    std::string text;
    for (const ChoiceParameter &parameter : parameters_)
      text += ", " + parameter.name;
    return text;
  }

  /// The number of the variant, and of the processor.
  Result<void> writeChoice(llvm::raw_ostream &os) const {
    // Once: on a virtual machine the instruction takes a microsecond or many.
    if (asksProcessor())
      os << "\nstatic inline int " << build_.name << "_has_f16c_and_lzcnt(void) {\n"
         << "  static int state; /* 0: not asked, 1: no, 2: yes; whoever asks twice is told the same */\n"
         << "  int known = __atomic_load_n(&state, __ATOMIC_RELAXED);\n"
         << "  if (known == 0) {\n"
         << "    unsigned a, b, c, d;\n"
         << "    known = __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1) && __get_cpuid(0x80000001, &a, &b, &c, &d) "
            "&&\n"
         << "                    (c >> 5 & 1)\n"
         << "                ? 2\n                : 1;\n"
         << "    __atomic_store_n(&state, known, __ATOMIC_RELAXED);\n"
         << "  }\n  return known == 2;\n}\n";
    os << "\nstatic inline int " << build_.name << "_processor(void) {\n";
    for (auto [index, processor] : llvm::enumerate(build_.processors)) {
      std::string test = "1";
      // One that is built alone may be any; the header then asks for what it can.
      Result<std::vector<std::string>> features = featuresOf(processor);
      if (!features && build_.processors.size() > 1)
        return features.takeFailure();
      if (features) {
        std::vector<std::string> terms;
        for (const std::string &feature : *features)
          terms.push_back("__builtin_cpu_supports(\"" + feature + "\")");
        if (!terms.empty())
          terms.push_back(build_.name + "_has_f16c_and_lzcnt()");
        test = terms.empty() ? "1" : llvm::join(terms, " && ");
      }
      if (test == "1") {
        os << "  return " << index << ";\n}\n";
        return {};
      }
      os << "  if (" << test << ")\n    return " << index << ";\n";
    }
    os << "  return -1;\n}\n";
    return {};
  }

  void writeLaunch(llvm::raw_ostream &os) const {
    uint32_t scratch = 64;
    for (const Variant &variant : build_.variants)
      for (const Artifact &code : variant.code)
        scratch = std::max(scratch, (code.plan.scratchBytes + 63) / 64 * 64);
    const std::string &name = build_.name;
    os << "\n/* Memory that a thread needs while it runs programs, aligned to 64 bytes. */\nenum { " << name
       << "_scratch_bytes = " << scratch << " };\n\n"
       << "/* Runs the programs [begin, end) of all in the grid on the calling thread, for hosts that spread\n"
       << " * them over threads of their own. 0: done; 1: no signature fits the arguments; 2: the processor\n"
       << " * lacks instructions. */\n"
       << "static inline int " << name << "_range(const uint32_t grid[3], uint64_t begin, uint64_t end, void *scratch"
       << declaration() << ") {\n"
       << "  uint64_t all = (uint64_t)grid[0] * grid[1] * grid[2];\n"
       << "  int processor = " << name << "_processor();\n"
       << "  if (processor < 0)\n    return 2;\n";
    for (auto [variant, condition] : llvm::zip(build_.variants, conditions_))
      writeVariant(os, variant, condition);
    os << "  (void)all;\n  return 1;\n}\n\n"
       << "/* Runs all programs on the calling thread. As above; 3: out of memory. */\n"
       << "static inline int " << name << "(const uint32_t grid[3]" << declaration() << ") {\n"
       << "  char *memory = (char *)malloc(" << name << "_scratch_bytes + 64);\n"
       << "  int result = 3;\n"
       << "  if (memory)\n"
       << "    result = " << name << "_range(grid, 0, (uint64_t)grid[0] * grid[1] * grid[2], memory + (64 - "
       << "(uintptr_t)memory % 64)" << passedOn() << ");\n"
       << "  free(memory);\n  return result;\n}\n";
  }

  void writeVariant(llvm::raw_ostream &os, const Variant &variant, const std::string &condition) const {
    const Artifact &code = variant.code.front();
    os << "  if (" << condition << ") {\n";
    const auto &slots = code.plan.parameters;
    os << "    uint64_t arguments[" << std::max<size_t>(slots.size(), 1) << "] = {0};\n";
    for (auto [index, slot] : llvm::enumerate(slots)) {
      // Pointers and numbers fill the low bytes; integers with their sign.
      const std::string &name = nameInC(parameters_, slot.argument);
      if (slot.kind == ScalarKind::Int)
        os << "    arguments[" << index << "] = (uint64_t)" << name << ";\n";
      else
        os << "    memcpy(&arguments[" << index << "], &" << name << ", sizeof " << name << ");\n";
    }
    // What outgrows the last level of the caches had better pass them by; 32 MB is a middling
    // server's.
    os << "    uint32_t size[4] = {grid[0], grid[1], grid[2], " << code.plan.storedBytes
       << "u * (double)all > 16777216.0};\n";
    os << "    switch (processor) {\n";
    for (auto [index, one] : llvm::enumerate(variant.code))
      os << "    case " << index << ":\n      " << one.kernel
         << "(arguments, scratch, size, begin, end);\n      return 0;\n";
    os << "    }\n  }\n";
  }

  const Build &build_;
  std::vector<ChoiceParameter> parameters_;
  std::vector<std::string> conditions_; ///< One per variant.
};

} // namespace

Result<std::string> writeHeader(const Build &build) { return HeaderWriter(build).write(); }

} // namespace tilewise::aot
