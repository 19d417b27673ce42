import sys

from tenet_train._command import main

sys.exit(main(sys.argv[1:]))
