// The texts of the header and the source for GPUs.
#include "aot/GpuSource.h"
#include "aot/Choice.h"
#include "aot/TypesInC.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::aot {

// What every such file needs of the driver, under the names of its interface. A context that was
// destroyed may leave its address to another, so the driver is asked for its number where it has
// one (since 12.0).
static constexpr llvm::StringLiteral kDriver = R"C(
typedef struct {
  int (*ctxGetCurrent)(void **);
  int (*ctxGetId)(void *, unsigned long long *);
  int (*ctxGetDevice)(int *);
  int (*deviceGetAttribute)(int *, int, int);
  int (*moduleLoadData)(void **, const void *);
  int (*moduleGetFunction)(void **, void *, const char *);
  int (*funcSetAttribute)(void *, int, int);
  int (*launchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                      void **);
} Driver;

/* Null where there is no driver. */
static const Driver *driver(void) {
  static Driver found;
  static int state; /* 0: not looked for, 1: there, 2: not there; whoever looks twice finds the same */
  int known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (known == 0) {
    Driver looked;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    known = 2;
    if (library) {
      *(void **)&looked.ctxGetCurrent = dlsym(library, "cuCtxGetCurrent");
      *(void **)&looked.ctxGetId = dlsym(library, "cuCtxGetId");
      *(void **)&looked.ctxGetDevice = dlsym(library, "cuCtxGetDevice");
      *(void **)&looked.deviceGetAttribute = dlsym(library, "cuDeviceGetAttribute");
      *(void **)&looked.moduleLoadData = dlsym(library, "cuModuleLoadData");
      *(void **)&looked.moduleGetFunction = dlsym(library, "cuModuleGetFunction");
      *(void **)&looked.funcSetAttribute = dlsym(library, "cuFuncSetAttribute");
      *(void **)&looked.launchKernel = dlsym(library, "cuLaunchKernel");
      if (looked.ctxGetCurrent && looked.ctxGetDevice && looked.deviceGetAttribute && looked.moduleLoadData &&
          looked.moduleGetFunction && looked.funcSetAttribute && looked.launchKernel) {
        lock();
        if (__atomic_load_n(&state, __ATOMIC_RELAXED) == 0)
          found = looked;
        unlock();
        known = 1;
      }
    }
    __atomic_store_n(&state, known, __ATOMIC_RELEASE);
  }
  return known == 1 ? &found : 0;
}
)C";

static constexpr llvm::StringLiteral kLock = R"C(
static char isLocked;
static void lock(void) {
  while (__atomic_test_and_set(&isLocked, __ATOMIC_ACQUIRE)) {
  }
}
static void unlock(void) { __atomic_clear(&isLocked, __ATOMIC_RELEASE); }
)C";

// CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR are 75 and 76,
// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES is 8.
static constexpr llvm::StringLiteral kLoad = R"C(
typedef struct {
  int capability;
  const void *code, *ptx; /* code is null where it was not assembled */
  const char *entry;
  unsigned shared, threads;
  int runsLater; /* whether its PTX is for later GPUs, too */
} Image;

typedef struct Loaded {
  struct Loaded *next;
  unsigned long long context;
  const Image *image;
  void *function;
} Loaded;
static Loaded *loaded;

/* The machine code of just this GPU, else the newest PTX that it can run; null for none. */
static const Image *choose(const Image *images, int count, int capability) {
  const Image *best = 0;
  for (int i = 0; i < count; ++i) {
    if (images[i].capability == capability)
      return &images[i];
    if (images[i].runsLater && images[i].capability < capability && (!best || images[i].capability > best->capability))
      best = &images[i];
  }
  return best;
}

static int load(const Driver *cuda, const Image *images, int count, const Image **image, void **function) {
  void *context = 0;
  unsigned long long id = 0;
  int device = 0, major = 0, minor = 0, result = cuda->ctxGetCurrent(&context);
  if (result == 0 && !context)
    return 201; /* CUDA_ERROR_INVALID_CONTEXT */
  if (result == 0 && (!cuda->ctxGetId || cuda->ctxGetId(context, &id) != 0))
    id = (unsigned long long)(uintptr_t)context;
  if (result == 0)
    result = cuda->ctxGetDevice(&device);
  if (result == 0)
    result = cuda->deviceGetAttribute(&major, 75, device);
  if (result == 0)
    result = cuda->deviceGetAttribute(&minor, 76, device);
  if (result != 0)
    return result;
  *image = choose(images, count, major * 10 + minor);
  if (!*image)
    return TILEWISE_NO_CODE;
  lock();
  for (const Loaded *one = loaded; one; one = one->next)
    if (one->context == id && one->image == *image) {
      *function = one->function;
      unlock();
      return 0;
    }
  void *module = 0;
  const int isExact = (*image)->capability == major * 10 + minor && (*image)->code;
  result = cuda->moduleLoadData(&module, isExact ? (*image)->code : (*image)->ptx);
  /* A driver that is too old for the machine code may still assemble the PTX. */
  if (result != 0 && isExact)
    result = cuda->moduleLoadData(&module, (*image)->ptx);
  if (result == 0)
    result = cuda->moduleGetFunction(function, module, (*image)->entry);
  if (result == 0 && (*image)->shared > 49152)
    result = cuda->funcSetAttribute(*function, 8, (int)(*image)->shared);
  if (result == 0) {
    Loaded *made = (Loaded *)malloc(sizeof(Loaded));
    if (made) {
      made->next = loaded;
      made->context = id;
      made->image = *image;
      made->function = *function;
      loaded = made;
    } else {
      result = 2; /* CUDA_ERROR_OUT_OF_MEMORY */
    }
  }
  unlock();
  return result;
}
)C";

/// PTX for sm_90a has instructions that no other GPU has.
static bool isForLater(llvm::StringRef ptx) {
  llvm::StringRef target = ptx.substr(ptx.find(".target sm_")).split('\n').first.split(',').first.rtrim();
  return !target.ends_with("a");
}

namespace {

class SourceWriter {
public:
  explicit SourceWriter(const GpuBuild &build) : build_(build) {}

  Result<GpuFiles> write() {
    std::vector<const Artifact *> signatures;
    for (const GpuVariant &variant : build_.variants)
      signatures.push_back(&variant.code.front());
    TILEWISE_TRY(parameters_, findParameters(signatures));
    for (ChoiceParameter &parameter : parameters_)
      if (parameter.isPointer())
        parameter.type = "uint64_t";
    for (const Artifact *signature : signatures)
      for (const LaunchParameter &slot : signature->plan.parameters)
        if (slot.part != ParameterPart::Whole)
          return launchFailure("the argument '" + slot.name + "' is a descriptor, which has no counterpart in C");
    GpuFiles files;
    files.header = header();
    llvm::raw_string_ostream os(files.source);
    os << "/* The code of " << build_.name << ", and how it is launched; see " << build_.name << ".h. */\n#include \""
       << build_.name << ".h\"\n\n#include <dlfcn.h>\n#include <stdlib.h>\n\n#define TILEWISE_NO_SIGNATURE (-1)\n"
       << "#define TILEWISE_NO_DRIVER (-2)\n#define TILEWISE_NO_CODE (-3)\n"
       << kLock << kDriver << kLoad;
    TILEWISE_CHECK(writeImages(os));
    return writeLaunch(os, signatures) ? Result<GpuFiles>(std::move(files)) : Result<GpuFiles>(failure_);
  }

private:
  std::string declaration() const {
    std::string text;
    for (const ChoiceParameter &parameter : parameters_)
      text += ", " + parameter.type + " " + parameter.name;
    return text;
  }

  std::string header() const {
    const std::string guard = "TILEWISE_BUILD_" + llvm::StringRef(build_.name).upper() + "_H";
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "/* " << build_.name << ": made by Tilewise " TILEWISE_VERSION " from " << build_.origin
       << "; not to be edited.\n *\n * signatures, the first that the arguments fit is taken:\n";
    for (const GpuVariant &variant : build_.variants)
      os << " *   " << signatureInC(variant.code.front()) << "\n";
    os << " * GPUs: ";
    for (auto [index, capability] : llvm::enumerate(build_.capabilities))
      os << (index ? ", " : "") << "compute capability " << capability / 10 << "." << capability % 10
         << (build_.variants.front().assembled[index].empty() ? " (PTX)" : "")
         << (isForLater(build_.variants.front().code[index].code) ? " and later" : " alone");
    os << "\n *\n"
       << " * A number after a colon divides the address in bytes, or the value. Pointers are addresses in the\n"
       << " * GPU's memory (CUdeviceptr); floats that C does not have (fp16, bf16, fp8) go by their bits. */\n"
       << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stdint.h>\n\n"
       << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
       << "/* Queues a launch on a stream (CUstream, null for the default one) of the calling thread's context,\n"
       << " * into which the code is loaded when it is first needed. 0: done; -1: no signature fits the\n"
       << " * arguments; -2: no CUDA driver; -3: no code for this GPU; else the driver's CUresult. */\n"
       << "int " << build_.name << "(void *stream, const uint32_t grid[3]" << declaration() << ");\n\n"
       << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text;
  }

  /// Bytes and not a string: compilers bound the length of strings. Aligned, as the driver wants
  /// machine code.
  static void writeBytes(llvm::raw_ostream &os, const std::string &name, llvm::StringRef bytes) {
    os << "\nstatic const unsigned char " << name << "[] __attribute__((aligned(64))) = {";
    for (size_t i = 0; i < bytes.size(); ++i)
      os << (i % 32 == 0 ? "\n  " : "") << unsigned(uint8_t(bytes[i])) << ",";
    os << "\n  0};\n";
  }

  Result<void> writeImages(llvm::raw_ostream &os) {
    for (auto [number, variant] : llvm::enumerate(build_.variants)) {
      std::string rows;
      for (auto [place, code] : llvm::enumerate(variant.code)) {
        const std::string suffix = std::to_string(number) + "_" + std::to_string(place);
        writeBytes(os, "ptx_" + suffix, code.code);
        if (!variant.assembled[place].empty())
          writeBytes(os, "code_" + suffix, variant.assembled[place]);
        rows += "  {" + std::to_string(build_.capabilities[place]) + ", " +
                (variant.assembled[place].empty() ? "0" : "code_" + suffix) + ", ptx_" + suffix + ", \"" + code.kernel +
                "\", " + std::to_string(code.plan.sharedBytes) + ", " + std::to_string(code.plan.threadsPerProgram) +
                ", " + (isForLater(code.code) ? "1" : "0") + "},\n";
      }
      os << "\nstatic const Image images_" << number << "[] = {\n" << rows << "};\n";
    }
    return {};
  }

  bool writeLaunch(llvm::raw_ostream &os, const std::vector<const Artifact *> &signatures) {
    os << "\nint " << build_.name << "(void *stream, const uint32_t grid[3]" << declaration() << ") {\n"
       << "  const Driver *cuda = driver();\n  const Image *image = 0;\n  void *function = 0;\n  int result;\n"
       << "  if (!cuda)\n    return TILEWISE_NO_DRIVER;\n";
    for (auto [number, signature] : llvm::enumerate(signatures)) {
      Result<std::string> condition = conditionInC(parameters_, *signature);
      if (!condition) {
        failure_ = condition.takeFailure();
        return false;
      }
      os << "  if (" << *condition << ") {\n";
      std::vector<std::string> passed;
      for (const LaunchParameter &slot : signature->plan.parameters)
        passed.push_back("(void *)&" + nameInC(parameters_, slot.argument));
      os << "    void *arguments[] = {" << (passed.empty() ? "0" : llvm::join(passed, ", ")) << "};\n"
         << "    result = load(cuda, images_" << number << ", " << build_.capabilities.size()
         << ", &image, &function);\n    if (result != 0)\n      return result;\n"
         << "    return cuda->launchKernel(function, grid[0], grid[1], grid[2], image->threads, 1, 1, image->shared, "
            "stream,\n                              arguments, 0);\n  }\n";
    }
    os << "  (void)result;\n  return TILEWISE_NO_SIGNATURE;\n}\n";
    return true;
  }

  const GpuBuild &build_;
  std::vector<ChoiceParameter> parameters_;
  Failure failure_;
};

} // namespace

Result<GpuFiles> writeGpuSource(const GpuBuild &build) { return SourceWriter(build).write(); }

} // namespace tilewise::aot
