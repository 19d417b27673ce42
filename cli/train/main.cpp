// `tenet-train WORDS…` is `tenet train WORDS…`.
#include "train.h"

int main(int argc, char** argv) { return tenet::cli::run_train(argc, argv); }
