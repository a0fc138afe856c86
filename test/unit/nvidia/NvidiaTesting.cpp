// What the NVIDIA engine's tests share: compiling tile IR to PTX, assembling it, and the four
// kernels written in tile IR.
#include "NvidiaTesting.h"

#include "driver/Compile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::nvidiatest {

mlir::OwningOpRef<mlir::ModuleOp> lowerTileIr(const std::string &text, mlir::MLIRContext &context, int capability,
                                              const LaunchOptions &options, Copies copies) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return {};
  if (copies == Copies::ByOwnWarps)
    module->walk([&](mlir::scf::ForOp loop) { loop->setAttr("tile.warp_specialize", mlir::UnitAttr::get(&context)); });
  Target target;
  target.engine = Engine::Nvidia;
  target.capability = capability;
  std::unique_ptr<Backend> backend = createNvidiaBackend(target, options);
  mlir::PassManager passes(&context);
  for (const Backend::Stage &stage : backend->stages())
    stage.addPasses(passes);
  if (copies == Copies::ByOwnWarpsRepeated)
    for (mlir::Pass &pass : passes.getPasses())
      if (pass.getArgument() == "gpu-specialize-warps" &&
          failed(pass.initializeOptions("all=true", [](const llvm::Twine &) { return mlir::failure(); })))
        return {};
  if (failed(passes.run(*module)))
    return {};
  return module;
}

Compiled compileTileIr(const std::string &text, int capability, unsigned numWarps) {
  Compiled result;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) { result.error += diagnostic.str() + "\n"; });
  auto module = lowerTileIr(text, context, capability, {.numWarps = numWarps});
  if (!module) {
    result.error += "lowering failed";
    return result;
  }
  Target target;
  target.engine = Engine::Nvidia;
  target.capability = capability;
  std::unique_ptr<Backend> backend = createNvidiaBackend(target, {});
  llvm::LLVMContext llvmContext;
  auto translated = backend->translate(*module, llvmContext);
  if (!translated) {
    result.error = translated.failure().message;
    return result;
  }
  Result<std::string> ptx = backend->emitCode(*module, translated->get());
  if (!ptx) {
    result.error = ptx.failure().message;
    return result;
  }
  backend->fillPlan(*module, result.plan);
  result.ptx = *ptx;
  return result;
}

std::optional<std::string> assemble(const std::string &ptx, int processor) {
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  if (!ptxas)
    return std::nullopt;
  llvm::SmallString<64> input, output;
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("tilewise", "ptx", file, input) ||
      llvm::sys::fs::createTemporaryFile("tilewise", "log", output))
    return "no temporary file";
  {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    os << ptx;
  }
  std::string arch = "sm_" + std::to_string(processor) + (processor == 90 ? "a" : "");
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(output), llvm::StringRef(output)};
  int code = llvm::sys::ExecuteAndWait(*ptxas, {*ptxas, "-arch", arch, "-v", input, "-o", "/dev/null"}, std::nullopt,
                                       redirects);
  auto log = llvm::MemoryBuffer::getFile(output);
  std::string said = log ? (*log)->getBuffer().str() : "";
  llvm::sys::fs::remove(input);
  llvm::sys::fs::remove(output);
  // For sm_75 ptxas now and then spills one register of eighty by its own choice.
  bool spills = processor >= 80 && said.find(" 0 bytes spill stores") == std::string::npos;
  return code == 0 && !spills ? "" : "ptxas: " + said;
}

/// `text` with each {name} replaced.
static std::string fill(std::string text, std::initializer_list<std::pair<std::string, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find("{" + name + "}")) != std::string::npos;)
      text.replace(at, name.size() + 2, value);
  return text;
}

std::string vectorAddIr(const std::string &type, int block, bool aligned) {
  return fill(R"(
func.func @vector_add(%x: !tile.ptr<{T}>{align}, %y: !tile.ptr<{T}>{align}, %z: !tile.ptr<{T}>{align}, %n: i32) attributes {tile.kernel} {
  %size = arith.constant {N} : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %size : i32
  %range = tile.range 0 to {N} : tensor<{N}xi32>
  %firsts = tile.splat %first : tensor<{N}xi32>
  %at = arith.addi %firsts, %range : tensor<{N}xi32>
  %ns = tile.splat %n : tensor<{N}xi32>
  %inside = arith.cmpi slt, %at, %ns : tensor<{N}xi32>
  %xs = tile.splat %x : tensor<{N}x!tile.ptr<{T}>>
  %xp = tile.ptr_add %xs, %at : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}xi32>
  %xv = tile.load %xp mask %inside : tensor<{N}xi1> : tensor<{N}x!tile.ptr<{T}>> -> tensor<{N}x{T}>
  %ys = tile.splat %y : tensor<{N}x!tile.ptr<{T}>>
  %yp = tile.ptr_add %ys, %at : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}xi32>
  %yv = tile.load %yp mask %inside : tensor<{N}xi1> : tensor<{N}x!tile.ptr<{T}>> -> tensor<{N}x{T}>
  %sum = arith.addf %xv, %yv : tensor<{N}x{T}>
  %zs = tile.splat %z : tensor<{N}x!tile.ptr<{T}>>
  %zp = tile.ptr_add %zs, %at : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}xi32>
  tile.store %zp, %sum mask %inside : tensor<{N}xi1> : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}x{T}>
  return
})",
              {{"T", type}, {"N", std::to_string(block)}, {"align", aligned ? " {tile.divisibility = 16 : i32}" : ""}});
}

std::string softmaxIr(const std::string &type, int block) {
  bool wide = type == "f32";
  return fill(
      R"(
func.func @softmax(%out: !tile.ptr<{T}> {tile.divisibility = 16 : i32}, %in: !tile.ptr<{T}> {tile.divisibility = 16 : i32},
                   %out_stride: i32, %in_stride: i32, %columns: i32) attributes {tile.kernel} {
  %row = tile.program_id 0
  %column = tile.range 0 to {N} : tensor<{N}xi32>
  %cs = tile.splat %columns : tensor<{N}xi32>
  %inside = arith.cmpi slt, %column, %cs : tensor<{N}xi32>
  %o1 = arith.muli %row, %in_stride : i32
  %p1 = tile.ptr_add %in, %o1 : !tile.ptr<{T}>, i32
  %ps = tile.splat %p1 : tensor<{N}x!tile.ptr<{T}>>
  %pp = tile.ptr_add %ps, %column : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}xi32>
  %other = arith.constant dense<0x{INF}> : tensor<{N}x{T}>
  %raw = tile.load %pp mask %inside : tensor<{N}xi1> other %other : tensor<{N}x{T}> : tensor<{N}x!tile.ptr<{T}>> -> tensor<{N}x{T}>
  {widen}
  %max = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<{N}xf32>) -> f32
  %maxs = tile.splat %max : tensor<{N}xf32>
  %d = arith.subf %x, %maxs : tensor<{N}xf32>
  %w = math.exp %d : tensor<{N}xf32>
  %sum = tile.reduce(%w) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<{N}xf32>) -> f32
  %sums = tile.splat %sum : tensor<{N}xf32>
  %y = arith.divf %w, %sums : tensor<{N}xf32>
  %o2 = arith.muli %row, %out_stride : i32
  %p2 = tile.ptr_add %out, %o2 : !tile.ptr<{T}>, i32
  %qs = tile.splat %p2 : tensor<{N}x!tile.ptr<{T}>>
  %qq = tile.ptr_add %qs, %column : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}xi32>
  {narrow}
  tile.store %qq, %z mask %inside : tensor<{N}xi1> : tensor<{N}x!tile.ptr<{T}>>, tensor<{N}x{T}>
  return
})",
      {{"widen",
        wide ? "%zero = arith.constant dense<-0.0> : tensor<{N}xf32>\n  %x = arith.addf %raw, %zero : tensor<{N}xf32>"
             : "%x = arith.extf %raw : tensor<{N}x{T}> to tensor<{N}xf32>"},
       {"narrow",
        wide ? "%minus = arith.constant dense<-0.0> : tensor<{N}xf32>\n  %z = arith.addf %y, %minus : tensor<{N}xf32>"
             : "%z = arith.truncf %y : tensor<{N}xf32> to tensor<{N}x{T}>"},
       {"INF", type == "f32"   ? "FF800000"
               : type == "f16" ? "FC00"
                               : "FF80"},
       {"T", type},
       {"N", std::to_string(block)}});
}

std::string greyscaleIr(const std::string &type, int height, int width) {
  std::string loads;
  for (std::string plane : {"red", "green", "blue"})
    loads += fill(R"(
  %{P}_s = tile.splat %{P}_ptr : tensor<{H}x{W}x!tile.ptr<{T}>>
  %{P}_p = tile.ptr_add %{P}_s, %pixel : tensor<{H}x{W}x!tile.ptr<{T}>>, tensor<{H}x{W}xi32>
  %{P} = tile.load %{P}_p mask %inside : tensor<{H}x{W}xi1> : tensor<{H}x{W}x!tile.ptr<{T}>> -> tensor<{H}x{W}x{T}>)",
                  {{"P", plane}});
  return fill(R"(
func.func @greyscale(%in: !tile.ptr<{T}> {tile.divisibility = 16 : i32}, %out: !tile.ptr<{T}> {tile.divisibility = 16 : i32},
                     %height: i32 {tile.divisibility = 16 : i32}, %width: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %bh = arith.constant {H} : i32
  %bw = arith.constant {W} : i32
  %two = arith.constant 2 : i32
  %none = arith.constant 0 : i32
  %id0 = tile.program_id 0
  %y0 = arith.muli %id0, %bh : i32
  %y0s = tile.splat %y0 : tensor<{H}x1xi32>
  %yr = tile.range 0 to {H} : tensor<{H}xi32>
  %yc = tile.expand_dims %yr at 1 : tensor<{H}xi32> -> tensor<{H}x1xi32>
  %y = arith.addi %y0s, %yc : tensor<{H}x1xi32>
  %id1 = tile.program_id 1
  %x0 = arith.muli %id1, %bw : i32
  %x0s = tile.splat %x0 : tensor<1x{W}xi32>
  %xr = tile.range 0 to {W} : tensor<{W}xi32>
  %xc = tile.expand_dims %xr at 0 : tensor<{W}xi32> -> tensor<1x{W}xi32>
  %x = arith.addi %x0s, %xc : tensor<1x{W}xi32>
  %hs = tile.splat %height : tensor<{H}x1xi32>
  %ws = tile.splat %width : tensor<1x{W}xi32>
  %iny = arith.cmpi slt, %y, %hs : tensor<{H}x1xi32>
  %inx = arith.cmpi slt, %x, %ws : tensor<1x{W}xi32>
  %inyb = tile.broadcast %iny : tensor<{H}x1xi1> -> tensor<{H}x{W}xi1>
  %inxb = tile.broadcast %inx : tensor<1x{W}xi1> -> tensor<{H}x{W}xi1>
  %inside = arith.andi %inyb, %inxb : tensor<{H}x{W}xi1>
  %ws2 = tile.splat %width : tensor<{H}x1xi32>
  %rows = arith.muli %y, %ws2 : tensor<{H}x1xi32>
  %rowsb = tile.broadcast %rows : tensor<{H}x1xi32> -> tensor<{H}x{W}xi32>
  %xb = tile.broadcast %x : tensor<1x{W}xi32> -> tensor<{H}x{W}xi32>
  %pixel = arith.addi %rowsb, %xb : tensor<{H}x{W}xi32>
  %plane = arith.muli %height, %width : i32
  %plane2 = arith.muli %plane, %two : i32
  %red_ptr = tile.ptr_add %in, %none : !tile.ptr<{T}>, i32
  %green_ptr = tile.ptr_add %in, %plane : !tile.ptr<{T}>, i32
  %blue_ptr = tile.ptr_add %in, %plane2 : !tile.ptr<{T}>, i32
{loads}
  %cr = arith.constant dense<0.299> : tensor<{H}x{W}x{T}>
  %cg = arith.constant dense<0.587> : tensor<{H}x{W}x{T}>
  %cb = arith.constant dense<0.114> : tensor<{H}x{W}x{T}>
  %g0 = arith.mulf %cr, %red : tensor<{H}x{W}x{T}>
  %g1 = math.fma %cg, %green, %g0 : tensor<{H}x{W}x{T}>
  %g2 = math.fma %cb, %blue, %g1 : tensor<{H}x{W}x{T}>
  %os = tile.splat %out : tensor<{H}x{W}x!tile.ptr<{T}>>
  %op = tile.ptr_add %os, %pixel : tensor<{H}x{W}x!tile.ptr<{T}>>, tensor<{H}x{W}xi32>
  tile.store %op, %g2 mask %inside : tensor<{H}x{W}xi1> : tensor<{H}x{W}x!tile.ptr<{T}>>, tensor<{H}x{W}x{T}>
  return
})",
              {{"loads", loads}, {"T", type}, {"H", std::to_string(height)}, {"W", std::to_string(width)}});
}

std::string matmulIr(const std::string &type, int m, int n, int k) {
  bool wide = type == "f32";
  return fill(R"(
func.func @matmul(%a: !tile.ptr<{T}> {tile.divisibility = 16 : i32}, %b: !tile.ptr<{T}> {tile.divisibility = 16 : i32},
                  %c: !tile.ptr<{T}> {tile.divisibility = 16 : i32}, %M: i32, %N: i32, %K: i32 {tile.divisibility = 16 : i32},
                  %sam: i32 {tile.divisibility = 16 : i32}, %sbk: i32 {tile.divisibility = 16 : i32},
                  %scm: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %bm = arith.constant {BM} : i32
  %bn = arith.constant {BN} : i32
  %bk = arith.constant {BK} : i32
  %zero = arith.constant 0 : i32
  %id0 = tile.program_id 0
  %id1 = tile.program_id 1
  %m0 = arith.muli %id0, %bm : i32
  %n0 = arith.muli %id1, %bn : i32
  %m0s = tile.splat %m0 : tensor<{BM}xi32>
  %n0s = tile.splat %n0 : tensor<{BN}xi32>
  %mr = tile.range 0 to {BM} : tensor<{BM}xi32>
  %nr = tile.range 0 to {BN} : tensor<{BN}xi32>
  %kr = tile.range 0 to {BK} : tensor<{BK}xi32>
  %m = arith.addi %m0s, %mr : tensor<{BM}xi32>
  %n = arith.addi %n0s, %nr : tensor<{BN}xi32>
  %mc = tile.expand_dims %m at 1 : tensor<{BM}xi32> -> tensor<{BM}x1xi32>
  %kc = tile.expand_dims %kr at 1 : tensor<{BK}xi32> -> tensor<{BK}x1xi32>
  %kx = tile.expand_dims %kr at 0 : tensor<{BK}xi32> -> tensor<1x{BK}xi32>
  %nx = tile.expand_dims %n at 0 : tensor<{BN}xi32> -> tensor<1x{BN}xi32>
  %sams = tile.splat %sam : tensor<{BM}x1xi32>
  %sbks = tile.splat %sbk : tensor<{BK}x1xi32>
  %scms = tile.splat %scm : tensor<{BM}x1xi32>
  %arow = arith.muli %mc, %sams : tensor<{BM}x1xi32>
  %brow = arith.muli %kc, %sbks : tensor<{BK}x1xi32>
  %crow = arith.muli %mc, %scms : tensor<{BM}x1xi32>
  %as = tile.splat %a : tensor<{BM}x1x!tile.ptr<{T}>>
  %bs = tile.splat %b : tensor<{BK}x1x!tile.ptr<{T}>>
  %cs = tile.splat %c : tensor<{BM}x1x!tile.ptr<{T}>>
  %ar = tile.ptr_add %as, %arow : tensor<{BM}x1x!tile.ptr<{T}>>, tensor<{BM}x1xi32>
  %br = tile.ptr_add %bs, %brow : tensor<{BK}x1x!tile.ptr<{T}>>, tensor<{BK}x1xi32>
  %cr = tile.ptr_add %cs, %crow : tensor<{BM}x1x!tile.ptr<{T}>>, tensor<{BM}x1xi32>
  %arb = tile.broadcast %ar : tensor<{BM}x1x!tile.ptr<{T}>> -> tensor<{BM}x{BK}x!tile.ptr<{T}>>
  %brb = tile.broadcast %br : tensor<{BK}x1x!tile.ptr<{T}>> -> tensor<{BK}x{BN}x!tile.ptr<{T}>>
  %crb = tile.broadcast %cr : tensor<{BM}x1x!tile.ptr<{T}>> -> tensor<{BM}x{BN}x!tile.ptr<{T}>>
  %kxa = tile.broadcast %kx : tensor<1x{BK}xi32> -> tensor<{BM}x{BK}xi32>
  %nxb = tile.broadcast %nx : tensor<1x{BN}xi32> -> tensor<{BK}x{BN}xi32>
  %nxc = tile.broadcast %nx : tensor<1x{BN}xi32> -> tensor<{BM}x{BN}xi32>
  %ap0 = tile.ptr_add %arb, %kxa : tensor<{BM}x{BK}x!tile.ptr<{T}>>, tensor<{BM}x{BK}xi32>
  %bp0 = tile.ptr_add %brb, %nxb : tensor<{BK}x{BN}x!tile.ptr<{T}>>, tensor<{BK}x{BN}xi32>
  %cp = tile.ptr_add %crb, %nxc : tensor<{BM}x{BN}x!tile.ptr<{T}>>, tensor<{BM}x{BN}xi32>
  %Ms = tile.splat %M : tensor<{BM}x1xi32>
  %Ns = tile.splat %N : tensor<1x{BN}xi32>
  %inm = arith.cmpi slt, %mc, %Ms : tensor<{BM}x1xi32>
  %inn = arith.cmpi slt, %nx, %Ns : tensor<1x{BN}xi32>
  %inma = tile.broadcast %inm : tensor<{BM}x1xi1> -> tensor<{BM}x{BK}xi1>
  %innb = tile.broadcast %inn : tensor<1x{BN}xi1> -> tensor<{BK}x{BN}xi1>
  %otherA = arith.constant dense<0.0> : tensor<{BM}x{BK}x{T}>
  %otherB = arith.constant dense<0.0> : tensor<{BK}x{BN}x{T}>
  %acc0 = arith.constant dense<0.0> : tensor<{BM}x{BN}xf32>
  %bstep = arith.muli %sbk, %bk : i32
  %asteps = tile.splat %bk : tensor<{BM}x{BK}xi32>
  %bsteps = tile.splat %bstep : tensor<{BK}x{BN}xi32>
  %r:3 = scf.for %done = %zero to %K step %bk iter_args(%ap = %ap0, %bp = %bp0, %acc = %acc0)
      -> (tensor<{BM}x{BK}x!tile.ptr<{T}>>, tensor<{BK}x{BN}x!tile.ptr<{T}>>, tensor<{BM}x{BN}xf32>) : i32 {
    %left = arith.subi %K, %done : i32
    %leftA = tile.splat %left : tensor<1x{BK}xi32>
    %leftB = tile.splat %left : tensor<{BK}x1xi32>
    %ink = arith.cmpi slt, %kx, %leftA : tensor<1x{BK}xi32>
    %inkb = arith.cmpi slt, %kc, %leftB : tensor<{BK}x1xi32>
    %inkA = tile.broadcast %ink : tensor<1x{BK}xi1> -> tensor<{BM}x{BK}xi1>
    %inkB = tile.broadcast %inkb : tensor<{BK}x1xi1> -> tensor<{BK}x{BN}xi1>
    %maskA = arith.andi %inma, %inkA : tensor<{BM}x{BK}xi1>
    %maskB = arith.andi %inkB, %innb : tensor<{BK}x{BN}xi1>
    %av = tile.load %ap mask %maskA : tensor<{BM}x{BK}xi1> other %otherA : tensor<{BM}x{BK}x{T}> : tensor<{BM}x{BK}x!tile.ptr<{T}>> -> tensor<{BM}x{BK}x{T}>
    %bv = tile.load %bp mask %maskB : tensor<{BK}x{BN}xi1> other %otherB : tensor<{BK}x{BN}x{T}> : tensor<{BK}x{BN}x!tile.ptr<{T}>> -> tensor<{BK}x{BN}x{T}>
    %next = tile.dot %av, %bv, %acc : tensor<{BM}x{BK}x{T}>, tensor<{BK}x{BN}x{T}> -> tensor<{BM}x{BN}xf32>
    %an = tile.ptr_add %ap, %asteps : tensor<{BM}x{BK}x!tile.ptr<{T}>>, tensor<{BM}x{BK}xi32>
    %bnext = tile.ptr_add %bp, %bsteps : tensor<{BK}x{BN}x!tile.ptr<{T}>>, tensor<{BK}x{BN}xi32>
    scf.yield %an, %bnext, %next : tensor<{BM}x{BK}x!tile.ptr<{T}>>, tensor<{BK}x{BN}x!tile.ptr<{T}>>, tensor<{BM}x{BN}xf32>
  }
  {narrow}
  %inmc = tile.broadcast %inm : tensor<{BM}x1xi1> -> tensor<{BM}x{BN}xi1>
  %innc = tile.broadcast %inn : tensor<1x{BN}xi1> -> tensor<{BM}x{BN}xi1>
  %maskC = arith.andi %inmc, %innc : tensor<{BM}x{BN}xi1>
  tile.store %cp, %out mask %maskC : tensor<{BM}x{BN}xi1> : tensor<{BM}x{BN}x!tile.ptr<{T}>>, tensor<{BM}x{BN}x{T}>
  return
})",
              {{"narrow", wide ? "%minus = arith.constant dense<-0.0> : tensor<{BM}x{BN}xf32>\n  %out = arith.addf "
                                 "%r#2, %minus : tensor<{BM}x{BN}xf32>"
                               : "%out = arith.truncf %r#2 : tensor<{BM}x{BN}xf32> to tensor<{BM}x{BN}x{T}>"},
               {"T", type},
               {"BM", std::to_string(m)},
               {"BN", std::to_string(n)},
               {"BK", std::to_string(k)}});
}

} // namespace tilewise::nvidiatest
