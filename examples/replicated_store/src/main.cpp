#include "system.h"
#include "tenet/system/command.h"

int main(int count, char** words) {
  replicated::System system;
  return tenet::system::run_command(system, count, words);
}
