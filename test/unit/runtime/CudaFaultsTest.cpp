// A fault on a GPU names the kernels that it may be of.
#include "runtime/CudaFaults.h"

#include <gtest/gtest.h>

namespace tilewise::cuda {

TEST(CudaFaults, NamesTheLastLaunchesNewestFirst) {
  const std::string *first = internName("first"), *second = internName("second");
  EXPECT_EQ(internName("first"), first);
  for (int i = 0; i < 20; ++i)
    noteLaunch(first);
  noteLaunch(second);
  noteLaunch(first);
  noteLaunch(second);
  EXPECT_EQ(describeFault(700),
            "\nnote: a kernel failed on the GPU; the last ones launched, newest first: 'second', 'first'"
            "\nnote: the driver accepts no more work from this process on that GPU; restart the process, with "
            "TILEWISE_CHECKED=1 "
            "to be told the line, the argument, the program and the lane");
}

TEST(CudaFaults, AFailedAssertionHasToldItsLine) {
  EXPECT_EQ(describeFault(710).find("TILEWISE_CHECKED"), std::string::npos);
  EXPECT_NE(describeFault(710).find("restart the process"), std::string::npos);
}

TEST(CudaFaults, OtherCodesAreNone) {
  EXPECT_EQ(describeFault(0), "");
  EXPECT_EQ(describeFault(2), ""); // out of memory
  EXPECT_EQ(describeFault(900), "");
}

} // namespace tilewise::cuda
